// The CSV reader: any file gives correct samples or an error, also without labels and by name.
#include "test/support/data/formats/reader_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  surety::data::fuzz_reader("csv://f?label=y", {{"f", surety::data::fuzz_text(data, size)}});
  surety::data::fuzz_reader("csv://f", {{"f", surety::data::fuzz_text(data, size)}},
                            {.labels = surety::data::Labels::kIfNamed});
  surety::data::fuzz_reader("csv://f", {{"f", surety::data::fuzz_text(data, size)}},
                            {.labels = surety::data::Labels::kNone, .columns = {"y", "a"}});
  return 0;
}
