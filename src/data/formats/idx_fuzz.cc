// The IDX reader: any two files give correct samples or an error. The first byte is the length of
// the images; both files follow.
#include "test/support/data/formats/reader_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [first, second] = surety::data::fuzz_two_texts(data, size);
  surety::data::fuzz_reader("idx://f?labels=l", {{"f", first}, {"l", second}});
  surety::data::fuzz_reader("idx://f", {{"f", first}}, {.labels = surety::data::Labels::kNone});
  return 0;
}
