// Parsers of quantities: no input crashes them, and accepted values are in range.
#include <cmath>
#include <string_view>

#include "base/check.h"
#include "base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = parse_duration(text)) {
    SURETY_CHECK(*duration >= Duration::zero());
    SURETY_CHECK(parse_duration(format_duration(*duration)));
  }
  if (const auto bytes = parse_bytes(text)) SURETY_CHECK(*bytes <= 1ull << 53);
  if (const auto price = parse_price(text)) SURETY_CHECK(std::isfinite(*price) && *price >= 0);
  if (const auto number = parse_number(text)) SURETY_CHECK(std::isfinite(*number));
  return 0;
}
