// A reader of generated sparse rows (data/generators/synthetic.h).
#include "data/formats/formats.h"
#include "data/formats/generated_reader.h"
#include "data/generators/synthetic.h"
#include "data/url.h"

namespace surety::data {
namespace {

class SyntheticReader final : public GeneratedReader {
 public:
  explicit SyntheticReader(const SyntheticOptions& options)
      : GeneratedReader({.layout = Layout::kSparse,
                         .channels = 1,
                         .height = 1,
                         .width = options.features,
                         .features = options.features,
                         .classes = 0},
                        options.samples),
        options_(options) {}

 private:
  void append(std::uint64_t number, Samples& out) const override {
    if (out.row_begin.empty()) out.row_begin.push_back(out.index.size());
    const SyntheticRow row = draw_row(options_, options_.first + number);
    out.index.insert(out.index.end(), row.index.begin(), row.index.end());
    out.f32.insert(out.f32.end(), row.value.begin(), row.value.end());
    out.row_begin.push_back(out.index.size());
    out.label.push_back(row.label);
  }

  SyntheticOptions options_;
};

}  // namespace

ReaderResult open_synthetic(const SourceUrl& url) {
  SURETY_TRY(const SyntheticOptions options, parse_synthetic_options(url));
  return std::make_unique<SyntheticReader>(options);
}

}  // namespace surety::data
