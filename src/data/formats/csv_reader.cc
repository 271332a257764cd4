// CSV (RFC 4180, but without line ends inside quotes): a header line with the names of the columns,
// then lines with a number in each cell, quoted or not. One column is the label, the others are the
// features in their order. No two columns have the same name. Empty lines are ignored.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/formats/labels.h"
#include "data/text.h"

namespace surety::data {
namespace {

// One cell without its quotes and the spaces around it, and the position behind it.
struct Cell {
  std::string text;
  // The comma behind it or the end of the line; nullptr if quotes are wrong.
  const char* end = nullptr;
};

Cell parse_cell(const char* at, const char* end) {
  const char* comma = std::find(at, end, ',');
  const std::string_view plain = trimmed({at, comma});
  if (plain.empty() || plain.front() != '"') return {.text = std::string(plain), .end = comma};
  Cell cell;
  for (const char* p = plain.data() + 1; p != end; ++p) {
    if (*p != '"') {
      cell.text += *p;
    } else if (p + 1 != end && p[1] == '"') {
      cell.text += *p++;
    } else {
      comma = std::find(p + 1, end, ',');
      if (trimmed({p + 1, comma}).empty()) cell.end = comma;
      return cell;
    }
  }
  return cell;
}

Result<std::vector<std::string>> parse_header(BufferedInput& input) {
  SURETY_TRY(auto line, input.next_line());
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line && line->starts_with(kByteOrderMark)) line->remove_prefix(kByteOrderMark.size());
  if (!line || trimmed(*line).empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: line 1: found nothing, expected the names of the columns", input.name());
  }
  std::vector<std::string> columns;
  const char* end = line->data() + line->size();
  for (const char* at = line->data();; ++at) {
    Cell cell = parse_cell(at, end);
    if (cell.end == nullptr) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: line 1: column {}: found {}, expected a name, or \"name\" in one line",
                  input.name(), columns.size() + 1, quoted({at, end}));
    }
    columns.push_back(std::move(cell.text));
    at = cell.end;
    if (at == end) return columns;
  }
}

// Refuses a name that two columns have, because it would be ambiguous. Most often such a file was
// put together wrongly.
Result<void> check_names(const std::string& file, const std::vector<std::string>& columns) {
  std::map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [before, is_new] = first.emplace(columns[i], i);
    if (is_new) continue;
    return fail(ErrorCode::kInvalidInput,
                "{}: line 1: found column {} twice, as columns {} and {}, expected a different "
                "name for each column",
                file, quoted(columns[i]), before->second + 1, i + 1);
  }
  return {};
}

std::string list_of(const std::vector<std::string>& columns) {
  constexpr std::size_t kShownMax = 20;
  const auto shown = std::span(columns).first(std::min(columns.size(), kShownMax));
  return fmt::format("{}{}", fmt::join(shown, ", "), columns.size() > kShownMax ? ", ..." : "");
}

Result<std::size_t> find_label(const SourceUrl& url, const std::vector<std::string>& columns) {
  const auto option = url.options.find("label");
  if (option == url.options.end()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no label column, expected csv://{}?label=COLUMN, one of {}", url.path,
                url.path, list_of(columns));
  }
  const std::string& label = option->second;
  const auto found = std::find(columns.begin(), columns.end(), label);
  if (found == columns.end()) {
    const auto meant = nearest(label, columns);
    return fail(ErrorCode::kInvalidInput, "{}: line 1: found no column {}, expected one of {}{}",
                url.path, quoted(label), list_of(columns),
                meant ? fmt::format("; did you mean \"{}\"?", *meant) : "");
  }
  if (columns.size() < 2) {
    return fail(ErrorCode::kInvalidInput,
                "{}: line 1: found only the label's column, expected at least one feature",
                url.path);
  }
  return static_cast<std::size_t>(found - columns.begin());
}

class CsvReader final : public Reader {
 public:
  CsvReader(BufferedInput input, std::vector<std::string> columns, std::size_t label_column)
      : input_(std::move(input)), columns_(std::move(columns)), label_column_(label_column) {
    schema_.layout = Layout::kDenseF32;
    schema_.features = static_cast<std::uint32_t>(columns_.size() - 1);
    schema_.width = schema_.features;
  }

  [[nodiscard]] const Schema& schema() const override { return schema_; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    std::size_t count = 0;
    for (; count < samples_max; ++count) {
      SURETY_TRY(const auto line, next_row());
      if (!line) break;
      SURETY_TRY(take(*line, out));
    }
    schema_.classes = labels_.classes();
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    for (std::size_t count = 0; count < samples; ++count) {
      SURETY_TRY(const auto line, next_row());
      if (!line) return count;
    }
    return samples;
  }

  [[nodiscard]] std::string name_of_feature(std::uint32_t feature) const override {
    const std::size_t column = feature + (feature >= label_column_ ? 1 : 0);
    return fmt::format("column {}", quoted(columns_[column]));
  }
  [[nodiscard]] std::vector<std::string> columns() const override {
    std::vector<std::string> features = columns_;
    features.erase(features.begin() + static_cast<std::ptrdiff_t>(label_column_));
    return features;
  }

 private:
  Result<std::optional<std::string_view>> next_row() {
    while (true) {
      SURETY_TRY(const auto line, input_.next_line());
      if (!line || !trimmed(*line).empty()) return line;
    }
  }

  Result<void> take(std::string_view line, Samples& out) {
    const char* at = line.data();
    const char* end = at + line.size();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      FloatText number = parse_float(at, end);
      if (number.end == nullptr || (number.end != end && *number.end != ',')) [[unlikely]] {
        SURETY_TRY(number, parse_slowly(at, end, column));
      }
      const bool last = column + 1 == columns_.size();
      if ((number.end == end) != last) [[unlikely]]
        return wrong_count(line);
      if (column == label_column_) {
        out.label.push_back(number.value);
        labels_.add(number.value);
      } else {
        out.f32.push_back(number.value);
      }
      at = number.end + 1;
    }
    return {};
  }

  // Parses a cell that is not just a number: it may have spaces, quotes, or no number at all.
  Result<FloatText> parse_slowly(const char* at, const char* end, std::size_t column) const {
    const Cell cell = parse_cell(at, end);
    const char* text_end = cell.text.data() + cell.text.size();
    const FloatText number = parse_float(cell.text.data(), text_end);
    if (cell.end == nullptr || number.end != text_end) {
      return fail(ErrorCode::kInvalidInput, "{}: line {}: column {}: found {}, expected a number",
                  input_.name(), input_.line(), quoted(columns_[column]),
                  cell.end == nullptr ? quoted({at, end})
                                      : (cell.text.empty() ? "an empty cell" : quoted(cell.text)));
    }
    return FloatText{.value = number.value, .end = cell.end};
  }

  tl::unexpected<Error> wrong_count(std::string_view line) const {
    std::size_t cells = 1;
    const char* end = line.data() + line.size();
    for (const char* at = line.data();; ++cells, ++at) {
      at = parse_cell(at, end).end;
      if (at == nullptr || at == end) break;
    }
    return fail(ErrorCode::kInvalidInput, "{}: line {}: found {} cells, expected {}", input_.name(),
                input_.line(), cells, columns_.size());
  }

  BufferedInput input_;
  std::vector<std::string> columns_;
  std::size_t label_column_ = 0;
  Schema schema_;
  LabelRange labels_;
};

}  // namespace

ReaderResult open_csv(const SourceUrl& url, const OpenFile& open) {
  SURETY_TRY(auto input, open_input(url.path, open));
  SURETY_TRY(auto columns, parse_header(input));
  SURETY_TRY(check_names(url.path, columns));
  SURETY_TRY(const std::size_t label_column, find_label(url, columns));
  return std::make_unique<CsvReader>(std::move(input), std::move(columns), label_column);
}

}  // namespace surety::data
