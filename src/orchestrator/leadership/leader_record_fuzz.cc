// Any text that etcd may hold: it is refused, or gives a record whose own text gives the record
// back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "orchestrator/leadership/leader_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::orchestrator;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto leader = leader_from_json(text)) {
    const auto again = leader_from_json(to_json(*leader));
    SURETY_CHECK(again && again->host == leader->host && again->pid == leader->pid);
  }
  if (const auto end = run_end_from_json(text)) {
    SURETY_CHECK(end->exit_code >= 0 && end->exit_code <= 255);
    const auto again = run_end_from_json(to_json(*end));
    SURETY_CHECK(again && again->exit_code == end->exit_code);
  }
  return 0;
}
