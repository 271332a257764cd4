// Arbitrary bytes as a decision and as a plan.json: the result is an error, or a value that is the
// same after writing and reading.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "plan/files/plan_io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::plan;
  const std::string text(data, data + size);
  if (const auto decision = decision_from_json("fuzz", text)) {
    const std::string written = to_json(*decision);
    const auto again = decision_from_json("again", written);
    SURETY_CHECK(again.has_value());
    SURETY_CHECK(to_json(*again) == written);
  }
  if (const auto file = plan_file_from_json("fuzz", text)) {
    const std::string written = to_json(*file);
    const auto again = plan_file_from_json("again", written);
    SURETY_CHECK(again.has_value());
    SURETY_CHECK(to_json(*again) == written);
  }
  return 0;
}
