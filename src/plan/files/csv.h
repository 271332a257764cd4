// Tables with one struct per line. The columns are declared once, for reading and for writing.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "base/text.h"

namespace surety::plan {

// A column is its name and a pointer to the member.
template <typename Row, typename T>
struct Column {
  std::string_view name;
  T Row::*member;
};
// Needed by clang 14, which builds the fuzz targets: it does not deduce this for aggregates.
template <typename Row, typename T>
Column(std::string_view, T Row::*) -> Column<Row, T>;

// A header that is quoted in an error: all our headers are shorter.
inline constexpr std::size_t kHeaderBytesMax = 300;

template <typename T>
[[nodiscard]] bool parse_field(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return false;
  if constexpr (std::floating_point<T>) return std::isfinite(value);
  return true;
}

[[nodiscard]] inline bool parse_field(std::string_view text, std::string& value) {
  value = text;
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '"'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), plain);
}

template <typename T>
[[nodiscard]] std::string_view expected_of() {
  if constexpr (std::floating_point<T>) return "a finite number";
  if constexpr (std::integral<T>) return "a whole number from 0 to 4294967295";
  return "a name without quotes or control characters";
}

[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

[[nodiscard]] inline std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

template <typename Row, typename... T>
[[nodiscard]] std::string header_of(const Column<Row, T>&... columns) {
  std::string header;
  ((header += header.empty() ? "" : ",", header += columns.name), ...);
  return header;
}

template <typename T>
void write_field(std::string& text, bool first, const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    SURETY_CHECK(value.find_first_of(",\"\r\n") == std::string::npos);
  }
  text += fmt::format("{}{}", first ? "" : ",", value);
}

template <typename Row, typename... T>
[[nodiscard]] std::string write_csv(const std::vector<Row>& rows,
                                    const Column<Row, T>&... columns) {
  std::string text = header_of(columns...) + "\n";
  for (const Row& row : rows) {
    bool first = true;
    ((write_field(text, first, row.*columns.member), first = false), ...);
    text += "\n";
  }
  return text;
}

// InvalidInput, with line and column, if the text is no value of the type.
template <typename Row, typename T>
[[nodiscard]] Result<void> read_field(std::string_view file, std::size_t line,
                                      std::string_view text, const Column<Row, T>& column,
                                      Row& row) {
  if (parse_field(text, row.*column.member)) return {};
  return fail(ErrorCode::kInvalidInput, "{}:{}: {}: found '{}', expected {}", file, line,
              column.name, excerpt(text), expected_of<T>());
}

// InvalidInput: another header, another number of columns in a line, or an error of read_field().
template <typename Row, typename... T>
[[nodiscard]] Result<std::vector<Row>> read_csv(std::string_view file, std::string_view text,
                                                const Column<Row, T>&... columns) {
  const std::vector<std::string_view> lines = split_lines(text);
  const std::string header = header_of(columns...);
  if (lines.empty() || lines[0] != header) {
    return fail(ErrorCode::kInvalidInput, "{}:1: header: found '{}', expected '{}'", file,
                lines.empty() ? std::string() : plain_text(lines[0], kHeaderBytesMax), header);
  }
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> fields = split(lines[i], ',');
    if (fields.size() != sizeof...(columns)) {
      return fail(ErrorCode::kInvalidInput, "{}:{}: found {} columns, expected {}", file, i + 1,
                  fields.size(), sizeof...(columns));
    }
    Row row;
    Result<void> read;
    std::size_t at = 0;
    ((read = read ? read_field(file, i + 1, fields[at++], columns, row) : read), ...);
    SURETY_TRY(read);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace surety::plan
