#include "orchestrator/history/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto contents = surety::orchestrator::decode_journal("fuzz", bytes);
  if (contents && contents->valid_bytes > size) __builtin_trap();
  return 0;
}
