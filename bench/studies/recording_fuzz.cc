// Reads any bytes as a recording of either layout. The result is an error that names the file, or
// lines that are the same after writing and reading, and whose divisions are finite.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bench/studies/division.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::bench;
  const std::string text(data, data + size);
  const auto recording = read_recording("fuzz", text);
  if (!recording) {
    SURETY_CHECK(recording.error().message.starts_with("fuzz:"));
    return 0;
  }
  if (recording->is_older) return 0;
  const auto written = [](const Recording& of) {
    std::string lines = head_of(of.provenance);
    for (const Measured& measured : of.measured) lines += line_of(measured);
    return lines;
  };
  const auto again = read_recording("again", written(*recording));
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(written(*again) == written(*recording));
  for (const Measured& measured : recording->measured) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Point point = divide(measured, halving_of_seed(seed));
      SURETY_CHECK(std::isfinite(point.metric) && std::isfinite(point.certify_se));
    }
  }
  return 0;
}
