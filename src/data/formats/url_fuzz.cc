// URLs: every accepted URL has a known scheme, and gives the same parts when it is written and
// parsed again.
#include "data/generators/digits.h"
#include "data/url.h"
#include "test/support/data/formats/reader_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety;
  const auto url = data::parse_url(data::fuzz_text(data, size));
  if (!url) {
    SURETY_CHECK(!url.error().message.empty());
    return 0;
  }
  std::string again(name_in(data::kSchemeNames, url->scheme));
  again += "://" + url->path;
  char separator = '?';
  for (const auto& [key, value] : url->options) {
    again += separator + key + "=" + value;
    separator = '&';
  }
  const auto parsed = data::parse_url(again);
  SURETY_CHECK(parsed && parsed->path == url->path && parsed->options == url->options);
  if (url->scheme != data::Scheme::kDigits) return 0;
  if (const auto options = data::parse_digits_options(*url)) {
    const data::Digit digit = data::draw_digit(*options, options->first);
    SURETY_CHECK(digit.label < options->classes && digit.drawn < options->classes);
  }
  return 0;
}
