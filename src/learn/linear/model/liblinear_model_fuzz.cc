// Any text is either refused with a message that names the file, or read such that writing and
// reading it again give the same model.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "learn/linear/model/liblinear_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::learn;
  const auto model =
      parse_liblinear_model("fuzz", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!model) {
    SURETY_CHECK(model.error().message.starts_with("fuzz: "));
    return 0;
  }
  const std::string text = to_liblinear(*model);
  const auto again = parse_liblinear_model("again", text);
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(to_liblinear(*again) == text);
  return 0;
}
