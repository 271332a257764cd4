// Reads from the generator of sparse rows (synthetic.h) as if from a file.
#include <algorithm>

#include "data/formats.h"
#include "data/synthetic.h"

namespace surety::data {
namespace {

class SyntheticReader final : public Reader {
 public:
  explicit SyntheticReader(const SyntheticOptions& options) : options_(options) {
    schema_ = {.layout = Layout::kSparse,
               .channels = 1,
               .height = 1,
               .width = options.features,
               .features = options.features,
               .classes = 0};
  }

  [[nodiscard]] const Schema& schema() const override { return schema_; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples_max, options_.samples - done_);
    if (count > 0 && out.row_begin.empty()) out.row_begin.push_back(out.index.size());
    for (std::uint64_t i = 0; i < count; ++i, ++done_) {
      const SyntheticRow row = draw_row(options_, options_.first + done_);
      out.index.insert(out.index.end(), row.index.begin(), row.index.end());
      out.f32.insert(out.f32.end(), row.value.begin(), row.value.end());
      out.row_begin.push_back(out.index.size());
      out.label.push_back(row.label);
    }
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples, options_.samples - done_);
    done_ += count;
    return count;
  }

 private:
  SyntheticOptions options_;
  Schema schema_;
  std::uint64_t done_ = 0;
};

}  // namespace

ReaderResult open_synthetic(const SourceUrl& url) {
  SURETY_TRY(const SyntheticOptions options, parse_synthetic_options(url));
  return std::make_unique<SyntheticReader>(options);
}

}  // namespace surety::data
