// Any text: it is refused, or gives names without list syntax, which form a list of the same names.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "orchestrator/slurm/slurm_hosts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::orchestrator;
  const auto hosts = expand_hosts(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!hosts) {
    SURETY_CHECK(hosts.error().message.starts_with("host list: "));
    return 0;
  }
  SURETY_CHECK(hosts->size() <= 65536);
  std::string list;
  for (const std::string& host : *hosts) {
    SURETY_CHECK(!host.empty() && host.find_first_of("[],") == std::string::npos);
    list += (list.empty() ? "" : ",") + host;
  }
  SURETY_CHECK(expand_hosts(list).value() == *hosts);
  return 0;
}
