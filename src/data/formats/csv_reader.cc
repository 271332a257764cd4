// CSV (RFC 4180, but without line ends inside quotes): a header line with the names of the columns,
// then lines with a number in each cell, quoted or not. One column is the label, the others are the
// features in their order. No two columns have the same name. Empty lines are ignored.
//
// A caller may name the columns of the features. Then they may stand anywhere, and columns that are
// neither label nor feature may have any content.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/formats/labels.h"
#include "data/text.h"
#include "data/url.h"

namespace surety::data {
namespace {

// Limit of the header line. Its names become a text in the header of a safetensors file, which has
// at most 100 MB, and a character takes up to six bytes there. The limit allows a million columns
// if each name has 16 characters.
constexpr std::size_t kNamesBytesMax = 16'000'000;

// One cell without its quotes and the spaces around it.
struct Cell {
  std::string text;
  // The comma behind the cell or the end of the line; nullptr if quotes are wrong.
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

// Other programs separate columns by other characters. Such a line has a single column.
Result<void> check_separator(const std::string& file, const std::vector<std::string>& columns) {
  if (columns.size() > 1) return {};
  const std::size_t separator = columns.front().find_first_of(";\t|");
  if (separator == std::string::npos) return {};
  const char found = columns.front()[separator];
  return fail(ErrorCode::kInvalidInput,
              "{}: line 1: found columns that are separated by {}, expected commas", file,
              found == '\t' ? "tabs" : fmt::format("\"{}\"", found));
}

Result<std::vector<std::string>> parse_header(BufferedInput& input) {
  SURETY_TRY(auto line, input.next_line());
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line && line->starts_with(kByteOrderMark)) line->remove_prefix(kByteOrderMark.size());
  if (!line || trimmed(*line).empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: line 1: found nothing, expected the names of the columns", input.name());
  }
  if (line->size() > kNamesBytesMax) {
    return fail(ErrorCode::kInvalidInput, "{}: line 1: found names of {} bytes, expected up to {}",
                input.name(), line->size(), kNamesBytesMax);
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
    // Journals and models hold the names as text.
    if (first_byte_not_utf8(cell.text)) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: line 1: column {}: found the name {}, which is not UTF-8: save the file in "
                  "this encoding",
                  input.name(), columns.size() + 1, plain_text(cell.text, kMessageBytesMax));
    }
    columns.push_back(std::move(cell.text));
    at = cell.end;
    if (at != end) continue;
    SURETY_TRY(check_separator(input.name(), columns));
    return columns;
  }
}

// Refuses a name that two columns have, because it would be ambiguous. Most often such a file was
// joined wrongly from several files.
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
  std::string text;
  for (const std::string& column : std::span(columns).first(std::min(columns.size(), kShownMax))) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", excerpt(column));
  }
  return columns.size() > kShownMax ? text + ", ..." : text;
}

// The columns of the label and of the features of a sample, as indices.
struct Places {
  std::optional<std::size_t> label;  // None if there are no labels.
  std::vector<std::size_t> features;
};

Result<std::optional<std::size_t>> find_label(const SourceUrl& url,
                                              const std::vector<std::string>& columns,
                                              Labels labels) {
  const auto option = url.options.find("label");
  const bool is_named = option != url.options.end();
  if (labels == Labels::kNone || (!is_named && labels == Labels::kIfNamed)) return std::nullopt;
  if (!is_named) {
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
                meant ? fmt::format("; did you mean \"{}\"?", excerpt(*meant)) : "");
  }
  if (columns.size() < 2) {
    return fail(ErrorCode::kInvalidInput,
                "{}: line 1: found only the label's column, expected at least one feature",
                url.path);
  }
  return static_cast<std::size_t>(found - columns.begin());
}

tl::unexpected<Error> lacks(const std::string& file, const std::vector<std::string>& columns,
                            const std::vector<std::string>& wanted,
                            const std::vector<std::string>& missing) {
  // A limit, because the time to compare two names grows with the product of their lengths.
  constexpr std::size_t kComparedBytesMax = 40;
  const std::string& first = missing.front();
  // A column that the model also needs is not a misspelled one.
  std::vector<std::string> others = columns;
  std::erase_if(others, [&](const std::string& name) {
    return std::ranges::find(wanted, name) != wanted.end();
  });
  const auto meant = first.size() <= kComparedBytesMax ? nearest(first, others) : std::nullopt;
  return fail(ErrorCode::kInvalidInput,
              "{}: line 1: found no column {}, expected each feature of the model: {}{}", file,
              plain_text(list_of(missing), kMessageBytesMax),
              plain_text(list_of(wanted), kMessageBytesMax),
              meant ? fmt::format("; is the column {} meant?", quoted(*meant)) : "");
}

// The columns with the wanted names, in the order of the names.
Result<std::vector<std::size_t>> find_features(const std::string& file,
                                               const std::vector<std::string>& columns,
                                               const std::vector<std::string>& wanted,
                                               std::optional<std::size_t> label) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < columns.size(); ++i) places.emplace(columns[i], i);
  std::vector<std::size_t> features;
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    const auto found = places.find(name);
    if (found == places.end()) {
      missing.push_back(name);
    } else if (found->second == label) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: found label={}, expected the column of the labels: this one is a feature of "
                  "the model",
                  file, plain_text(name, kMessageBytesMax));
    } else {
      features.push_back(found->second);
    }
  }
  if (!missing.empty()) return lacks(file, columns, wanted, missing);
  return features;
}

// Refuses numbers in the place of names. They show that the file has no header, and that its first
// line is a sample.
Result<void> check_header(const std::string& file, const std::vector<std::string>& columns) {
  const auto is_number = [](const std::string& name) {
    const char* const end = name.data() + name.size();
    return !name.empty() && parse_float(name.data(), end).end == end;
  };
  if (!std::ranges::all_of(columns, is_number)) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: line 1: found only numbers, expected the names of the columns", file);
}

Result<Places> find_places(const SourceUrl& url, const std::vector<std::string>& columns,
                           const ReadOptions& options) {
  Places places;
  SURETY_TRY(places.label, find_label(url, columns, options.labels));
  if (!options.columns.empty()) {
    SURETY_TRY(places.features, find_features(url.path, columns, options.columns, places.label));
    return places;
  }
  if (!places.label) SURETY_TRY(check_header(url.path, columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != places.label) places.features.push_back(i);
  }
  return places;
}

class CsvReader final : public Reader {
 public:
  CsvReader(BufferedInput input, std::vector<std::string> columns, Places places)
      : input_(std::move(input)),
        columns_(std::move(columns)),
        places_(std::move(places)),
        feature_of_(columns_.size(), kIgnored) {
    for (std::size_t i = 0; i < places_.features.size(); ++i) feature_of_[places_.features[i]] = i;
    if (places_.label) feature_of_[*places_.label] = kLabel;
    schema_.layout = Layout::kDenseF32;
    schema_.features = static_cast<std::uint32_t>(places_.features.size());
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
    return fmt::format("column {}", quoted(columns_[places_.features[feature]]));
  }
  [[nodiscard]] std::vector<std::string> columns() const override {
    std::vector<std::string> features;
    for (const std::size_t column : places_.features) features.push_back(columns_[column]);
    return features;
  }
  [[nodiscard]] std::vector<std::string> ignored_columns() const override {
    std::vector<std::string> ignored;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (feature_of_[column] == kIgnored) ignored.push_back(columns_[column]);
    }
    return ignored;
  }
  [[nodiscard]] bool has_labels() const override { return places_.label.has_value(); }

 private:
  // Marks of columns that are not features. They differ from all feature numbers, because each
  // column has at least one byte in the header.
  static constexpr std::size_t kIgnored = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLabel = kIgnored - 1;

  Result<std::optional<std::string_view>> next_row() {
    while (true) {
      SURETY_TRY(const auto line, input_.next_line());
      if (!line || !trimmed(*line).empty()) return line;
    }
  }

  Result<void> take(std::string_view line, Samples& out) {
    const std::size_t first = out.f32.size();
    out.f32.resize(first + schema_.features);
    float label = 0;
    const char* at = line.data();
    const char* end = at + line.size();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::size_t feature = feature_of_[column];
      FloatText number = parse_float(at, end);
      if (number.end == nullptr || (number.end != end && *number.end != ',')) [[unlikely]] {
        SURETY_TRY(number, parse_slowly(at, end, column));
      }
      const bool last = column + 1 == columns_.size();
      if ((number.end == end) != last) [[unlikely]]
        return wrong_count(line);
      if (feature < schema_.features) {
        out.f32[first + feature] = number.value;
      } else if (feature == kLabel) {
        label = number.value;
      }
      at = number.end + 1;
    }
    out.label.push_back(label);
    if (has_labels()) labels_.add(label);
    return {};
  }

  // Parses a cell that is not just a number: it may have spaces, quotes, or no number at all. An
  // ignored cell may have any content without line breaks.
  Result<FloatText> parse_slowly(const char* at, const char* end, std::size_t column) const {
    const Cell cell = parse_cell(at, end);
    const char* text_end = cell.text.data() + cell.text.size();
    const FloatText number = parse_float(cell.text.data(), text_end);
    const bool is_wanted = feature_of_[column] != kIgnored;
    if (cell.end == nullptr || (is_wanted && number.end != text_end)) {
      const bool is_open = cell.end == nullptr;
      return fail(ErrorCode::kInvalidInput, "{}: line {}: column {}: found {}, expected {}",
                  input_.name(), input_.line(), quoted(columns_[column]),
                  is_open             ? quoted({at, end})
                  : cell.text.empty() ? "an empty cell"
                                      : quoted(cell.text),
                  !is_open    ? wanted_words(cell.text, feature_of_[column] == kLabel)
                  : is_wanted ? "a number"
                              : "the closing quote in the same line");
    }
    return FloatText{.value = number.value, .end = cell.end};
  }

  // What is expected instead of this text.
  static std::string_view wanted_words(std::string_view found, bool is_label) {
    static constexpr std::string_view kMissing[] = {"",    "?",   "NA",   "N/A",  "na",  "n/a",
                                                    "NaN", "nan", "NULL", "null", "None"};
    if (std::ranges::find(kMissing, found) != std::end(kMissing)) {
      return "a number: fill in the missing value, or remove the line";
    }
    // Other cells, such as "1 2", are rather a mistake of the file than a category.
    if (!std::isalpha(static_cast<unsigned char>(found[0]))) return "a number";
    if (is_label) return "a number: write classes as 0, 1, and so on";
    return "a number: write a category as columns of 0 and 1, one for each value, or remove the "
           "column";
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
  Places places_;
  std::vector<std::size_t> feature_of_;  // The feature in each column, kLabel, or kIgnored.
  Schema schema_;
  LabelRange labels_;
};

}  // namespace

ReaderResult open_csv(const SourceUrl& url, const OpenFile& open, const ReadOptions& options) {
  SURETY_TRY(auto input, open_input(url.path, open));
  SURETY_TRY(auto columns, parse_header(input));
  SURETY_TRY(check_names(url.path, columns));
  SURETY_TRY(Places places, find_places(url, columns, options));
  return std::make_unique<CsvReader>(std::move(input), std::move(columns), std::move(places));
}

}  // namespace surety::data
