// The LIBSVM reader: any file gives correct samples or an error.
#include "test/support/data/formats/reader_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  surety::data::fuzz_reader("libsvm://f", {{"f", surety::data::fuzz_text(data, size)}});
  surety::data::fuzz_reader("libsvm://f", {{"f", surety::data::fuzz_text(data, size)}},
                            {.labels = surety::data::Labels::kNone});
  return 0;
}
