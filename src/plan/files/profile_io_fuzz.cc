// Arbitrary bytes as each of the four tables: the result is an error, or a profile that is the same
// after writing and reading.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "plan/files/profile_io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::plan;
  const std::string text(data, data + size);
  const auto empty = to_files(Profile());
  for (const auto& [name, header] : empty) {
    auto files = empty;
    files[name] = text;
    const auto profile = profile_from_files(files);
    if (!profile) continue;
    const auto written = to_files(*profile);
    const auto again = profile_from_files(written);
    SURETY_CHECK(again.has_value());
    SURETY_CHECK(to_files(*again) == written);
  }
  return 0;
}
