// A reader of generated digits (data/generators/digits.h).
#include "data/formats/formats.h"
#include "data/formats/generated_reader.h"
#include "data/generators/digits.h"
#include "data/url.h"

namespace surety::data {
namespace {

class DigitsReader final : public GeneratedReader {
 public:
  explicit DigitsReader(const DigitsOptions& options)
      : GeneratedReader({.layout = Layout::kDenseU8,
                         .channels = 1,
                         .height = kDigitSide,
                         .width = kDigitSide,
                         .features = kDigitPixels,
                         .classes = options.classes},
                        options.samples),
        options_(options) {}

 private:
  void append(std::uint64_t number, Samples& out) const override {
    const Digit digit = draw_digit(options_, options_.first + number);
    out.u8.insert(out.u8.end(), digit.pixels.begin(), digit.pixels.end());
    out.label.push_back(static_cast<float>(digit.label));
  }

  DigitsOptions options_;
};

}  // namespace

ReaderResult open_digits(const SourceUrl& url) {
  SURETY_TRY(const DigitsOptions options, parse_digits_options(url));
  return std::make_unique<DigitsReader>(options);
}

}  // namespace surety::data
