// LIBSVM (svmlight) text: "label index:value index:value ..." in each line, with ascending indices
// from 1. Empty lines, and everything after a '#', are ignored.
//
// A file without labels (Labels::kNone) has "index:value ..." in each line, and may have a number
// before it, which is not used. In such a file an empty line is refused, because some programs read
// it as a sample without features, and others ignore it.
#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/formats/labels.h"
#include "data/text.h"
#include "data/url.h"

namespace surety::data {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

const char* past_spaces(const char* at, const char* end) {
  while (at != end && is_space(*at)) ++at;
  return at;
}

// An unsigned number of up to 9 digits and the position behind it; the value is 0 if there is no
// number. No model has so many features that longer numbers are needed, and the limit prevents an
// overflow.
struct Index {
  std::uint32_t value = 0;
  const char* end = nullptr;
};
Index parse_index(const char* at, const char* end) {
  constexpr std::ptrdiff_t kDigitsMax = 9;
  const char* last = end - at > kDigitsMax ? at + kDigitsMax : end;
  std::uint32_t value = 0;
  while (at != last && static_cast<unsigned char>(*at - '0') < 10) {
    value = value * 10 + static_cast<std::uint32_t>(*at++ - '0');
  }
  return {.value = value, .end = at};
}

class LibsvmReader final : public Reader {
 public:
  LibsvmReader(BufferedInput input, Labels labels) : input_(std::move(input)), wanted_(labels) {
    schema_.layout = Layout::kSparse;
  }

  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] bool has_labels() const override { return wanted_ != Labels::kNone; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    std::size_t count = 0;
    for (; count < samples_max; ++count) {
      SURETY_TRY(const auto line, next_sample());
      if (!line) break;
      SURETY_TRY(take(*line, out));
    }
    schema_.classes = labels_.classes();
    schema_.width = schema_.features;
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    for (std::size_t count = 0; count < samples; ++count) {
      SURETY_TRY(const auto line, next_sample());
      if (!line) return count;
    }
    return samples;
  }

 private:
  // The next line with a sample, without its comment and the spaces around it.
  Result<std::optional<std::string_view>> next_sample() {
    while (true) {
      SURETY_TRY(auto line, input_.next_line());
      if (!line) return std::nullopt;
      const std::string_view text = trimmed(line->substr(0, line->find('#')));
      if (!text.empty()) return text;
      if (!has_labels() && trimmed(*line).empty()) {
        return fail(ErrorCode::kInvalidInput,
                    "{}: line {}: found an empty line, expected INDEX:VALUE, or the number 0 for a "
                    "sample without features",
                    input_.name(), input_.line());
      }
    }
  }

  Result<void> take(std::string_view line, Samples& out) {
    const char* at = line.data();
    const char* end = at + line.size();
    const FloatText label = parse_float(at, end);
    const bool is_label = label.end != nullptr && (label.end == end || is_space(*label.end));
    if (!is_label && has_labels()) {
      return bad(at, end, fmt::format("a number as the label{}", label_hint(wanted_)));
    }
    if (out.row_begin.empty()) out.row_begin.push_back(out.index.size());
    std::uint32_t previous = 0;
    for (at = past_spaces(is_label ? label.end : at, end); at != end; at = past_spaces(at, end)) {
      const Index index = parse_index(at, end);
      if (index.value == 0 || index.end == end || *index.end != ':') {
        return bad(at, end, "INDEX:VALUE with an index of 1 to 999999999");
      }
      if (index.value <= previous) {
        return bad(at, end, fmt::format("an index above {}: indices rise within a line", previous));
      }
      const FloatText value = parse_float(index.end + 1, end);
      if (value.end == nullptr || (value.end != end && !is_space(*value.end))) {
        return bad(at, end, "a finite number after the colon");
      }
      out.index.push_back(index.value - 1);
      out.f32.push_back(value.value);
      previous = index.value;
      at = value.end;
    }
    out.row_begin.push_back(out.index.size());
    out.label.push_back(has_labels() ? label.value : 0);
    if (has_labels()) labels_.add(label.value);
    schema_.features = std::max(schema_.features, previous);
    return {};
  }

  tl::unexpected<Error> bad(const char* at, const char* end, std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "{}: line {}: found {}, expected {}", input_.name(),
                input_.line(), quoted({at, std::find_if(at, end, is_space)}), expected);
  }

  BufferedInput input_;
  Labels wanted_ = Labels::kNeeded;
  Schema schema_;
  LabelRange labels_;
};

}  // namespace

ReaderResult open_libsvm(const SourceUrl& url, const OpenFile& open, Labels labels) {
  SURETY_TRY(auto input, open_input(url.path, open));
  return std::make_unique<LibsvmReader>(std::move(input), labels);
}

}  // namespace surety::data
