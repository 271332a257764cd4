// Reads from the generator of digits (digits.h) as if from a file.
#include <algorithm>

#include "data/digits.h"
#include "data/formats.h"

namespace surety::data {
namespace {

class DigitsReader final : public Reader {
 public:
  explicit DigitsReader(const DigitsOptions& options) : options_(options) {
    schema_ = {.layout = Layout::kDenseU8,
               .channels = 1,
               .height = kDigitSide,
               .width = kDigitSide,
               .features = kDigitPixels,
               .classes = options.classes};
  }

  [[nodiscard]] const Schema& schema() const override { return schema_; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples_max, options_.samples - done_);
    for (std::uint64_t i = 0; i < count; ++i, ++done_) {
      const Digit digit = draw_digit(options_, options_.first + done_);
      out.u8.insert(out.u8.end(), digit.pixels.begin(), digit.pixels.end());
      out.label.push_back(static_cast<float>(digit.label));
    }
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples, options_.samples - done_);
    done_ += count;
    return count;
  }

 private:
  DigitsOptions options_;
  Schema schema_;
  std::uint64_t done_ = 0;
};

}  // namespace

ReaderResult open_digits(const SourceUrl& url) {
  SURETY_TRY(const DigitsOptions options, parse_digits_options(url));
  return std::make_unique<DigitsReader>(options);
}

}  // namespace surety::data
