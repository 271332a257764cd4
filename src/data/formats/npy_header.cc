#include "data/formats/npy_header.h"

#include <limits>
#include <optional>

#include "data/text.h"

namespace surety::data {
namespace {

struct TypeName {
  std::string_view name;
  NpyType type;
};
constexpr TypeName kTypes[] = {{"|u1", NpyType::kU1}, {"<u1", NpyType::kU1}, {"<f4", NpyType::kF4},
                               {"<f8", NpyType::kF8}, {"<i4", NpyType::kI4}, {"<i8", NpyType::kI8}};

// Reads the header from its front, and keeps the unread part.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  // Reads spaces and then `token`; false if `token` does not follow the spaces.
  bool take(std::string_view token) {
    skip_spaces();
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }
  // Reads a quoted string without escapes.
  std::optional<std::string_view> take_string() {
    skip_spaces();
    if (left_.empty() || (left_[0] != '\'' && left_[0] != '"')) return std::nullopt;
    const std::size_t end = left_.find(left_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = left_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) return std::nullopt;
    left_.remove_prefix(end + 1);
    return text;
  }
  std::optional<std::uint64_t> take_uint() {
    skip_spaces();
    const std::size_t digits = std::min(left_.find_first_not_of("0123456789"), left_.size());
    std::uint64_t value = 0;
    if (!parse_uint(left_.substr(0, digits), value)) return std::nullopt;
    left_.remove_prefix(digits);
    return value;
  }
  bool at_end() {
    skip_spaces();
    return left_.empty();
  }
  [[nodiscard]] tl::unexpected<Error> bad(std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "header: found {}, expected {}", quoted(left_), expected);
  }

 private:
  void skip_spaces() {
    left_.remove_prefix(std::min(left_.find_first_not_of(" \t\n"), left_.size()));
  }
  std::string_view left_;
};

Result<NpyType> take_type(Scanner& scanner) {
  const auto name = scanner.take_string();
  if (!name) return scanner.bad("a type such as '<f4'");
  std::string known;
  for (const TypeName& type : kTypes) {
    if (type.name == *name) return type.type;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", type.name);
  }
  return fail(ErrorCode::kInvalidInput, "header: found type {}, expected one of {}", quoted(*name),
              known);
}

Result<bool> take_order(Scanner& scanner) {
  if (scanner.take("False")) return false;
  if (scanner.take("True")) {
    return fail(ErrorCode::kInvalidInput,
                "header: found 'fortran_order': True, expected False: save the array again with "
                "numpy.save(FILE, numpy.ascontiguousarray(array))");
  }
  return scanner.bad("True or False");
}

Result<std::vector<std::uint64_t>> take_shape(Scanner& scanner) {
  constexpr std::uint64_t kProductMax = std::numeric_limits<std::int64_t>::max();
  if (!scanner.take("(")) return scanner.bad("a shape in parentheses");
  std::vector<std::uint64_t> shape;
  std::uint64_t product = 1;
  bool comma = true;
  while (!scanner.take(")")) {
    const auto size = comma ? scanner.take_uint() : std::nullopt;
    if (!size || shape.size() == 32) return scanner.bad("sizes separated by commas, and )");
    if (*size != 0 && product > kProductMax / *size) return scanner.bad("fewer than 2^63 values");
    product *= *size;
    shape.push_back(*size);
    comma = scanner.take(",");
  }
  if (shape.empty()) return scanner.bad("at least one dimension");
  if (shape.size() == 1 && !comma) return scanner.bad("a comma after a single size");
  return shape;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) {
  Scanner scanner(text);
  std::optional<NpyType> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
  if (!scanner.take("{")) return scanner.bad("{");
  bool comma = true;
  while (!scanner.take("}")) {
    const auto key = comma ? scanner.take_string() : std::nullopt;
    if (!key || !scanner.take(":")) return scanner.bad("'KEY': VALUE, or }");
    if (*key == "descr" && !type) {
      SURETY_TRY(type, take_type(scanner));
    } else if (*key == "fortran_order" && !fortran_order) {
      SURETY_TRY(fortran_order, take_order(scanner));
    } else if (*key == "shape" && !shape) {
      SURETY_TRY(shape, take_shape(scanner));
    } else {
      return fail(ErrorCode::kInvalidInput,
                  "header: found key {}, expected descr, fortran_order and shape, each once",
                  quoted(*key));
    }
    comma = scanner.take(",");
  }
  if (!scanner.at_end()) return scanner.bad("the end of the header");
  if (!type || !fortran_order || !shape) {
    return fail(ErrorCode::kInvalidInput, "header: found no {}, expected one",
                !type ? "descr" : (!shape ? "shape" : "fortran_order"));
  }
  return NpyHeader{.type = *type, .shape = std::move(*shape)};
}

}  // namespace surety::data
