#include "learn/linear/model/liblinear_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/words.h"
#include "data/text.h"
#include "learn/task.h"
#include "model/zoo.h"

namespace surety::learn {
namespace {

// The limit of data files: an index has at most nine digits.
constexpr std::uint32_t kFeaturesMax = 999'999'999;
// A limit, because a file may contain any number. No data set has so many labels.
constexpr std::uint32_t kClassesMax = 65536;

enum class Kind : std::uint8_t { kClassifier, kCrammerSinger, kRegression };

struct KnownSolver {
  std::string_view name;
  Kind kind = Kind::kClassifier;
};
constexpr std::array<KnownSolver, 11> kSolvers{{
    {"L2R_LR", Kind::kClassifier},
    {"L2R_L2LOSS_SVC_DUAL", Kind::kClassifier},
    {"L2R_L2LOSS_SVC", Kind::kClassifier},
    {"L2R_L1LOSS_SVC_DUAL", Kind::kClassifier},
    {"MCSVM_CS", Kind::kCrammerSinger},
    {"L1R_L2LOSS_SVC", Kind::kClassifier},
    {"L1R_LR", Kind::kClassifier},
    {"L2R_LR_DUAL", Kind::kClassifier},
    {"L2R_L2LOSS_SVR", Kind::kRegression},
    {"L2R_L2LOSS_SVR_DUAL", Kind::kRegression},
    {"L2R_L1LOSS_SVR_DUAL", Kind::kRegression},
}};

const KnownSolver* find_solver(std::string_view name) {
  const auto* found = std::find_if(kSolvers.begin(), kSolvers.end(),
                                   [&](const KnownSolver& solver) { return solver.name == name; });
  return found == kSolvers.end() ? nullptr : found;
}

// Two classes share one column, except with Crammer and Singer's method, which has one for each.
std::size_t columns_of(Kind kind, std::uint32_t classes) {
  return kind == Kind::kRegression || (classes == 2 && kind == Kind::kClassifier) ? 1 : classes;
}

class Parser {
 public:
  Parser(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  Result<LinearModel> parse() {
    bool more = true;
    while (more) {
      SURETY_TRY(more, header_line());
    }
    SURETY_TRY(const Kind kind, check_header());
    model_.columns.resize(columns_of(kind, *classes_));
    for (std::uint32_t feature = 0; feature < *features_; ++feature) SURETY_TRY(weights(false));
    if (model_.bias) SURETY_TRY(weights(true));
    while (next_line()) {
      if (!line_.empty()) return bad("the end of the file: each feature already has a weight");
    }
    model_.features = *features_;
    return std::move(model_);
  }

 private:
  bool next_line() {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = data::trimmed(text_.substr(0, end));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    return true;
  }

  // The next word of the line, empty at the end of the line.
  std::string_view next_word() {
    const std::size_t end = std::min(line_.find_first_of(" \t"), line_.size());
    const std::string_view word = line_.substr(0, end);
    line_ = data::trimmed(line_.substr(end));
    return word;
  }

  template <typename T>
  static bool parse_number(std::string_view word, T& value) {
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
  }

  // Reads a line of the header. Returns false after the line "w".
  Result<bool> header_line() {
    if (!next_line()) return ended("a line \"w\" and weights after it");
    const std::string_view key = next_word();
    if (key == "w") {
      if (!line_.empty()) return bad("nothing after \"w\"");
      return false;
    }
    if (key == "solver_type") return solver();
    if (key == "label") return labels();
    if (key == "nr_class") return count(kClassesMax, classes_);
    if (key == "nr_feature") return count(kFeaturesMax, features_);
    if (key == "bias") return bias();
    line_ = key;
    return bad("solver_type, nr_class, label, nr_feature, bias or w");
  }

  Result<bool> solver() {
    if (const KnownSolver* known = find_solver(line_)) {
      model_.solver = known->name;
      return true;
    }
    return bad("a solver that classifies or predicts numbers, such as L2R_LR");
  }

  Result<bool> labels() {
    model_.labels.clear();
    while (!line_.empty()) {
      const std::string_view word = next_word();
      int label = 0;
      if (!parse_number(word, label)) {
        line_ = word;
        return bad("labels that are whole numbers");
      }
      model_.labels.push_back(label);
    }
    return true;
  }

  Result<bool> count(std::uint32_t max, std::optional<std::uint32_t>& value) {
    std::uint32_t read = 0;
    if (!parse_number(line_, read) || read == 0 || read > max) {
      return bad(fmt::format("a whole number from 1 to {}", max));
    }
    value = read;
    return true;
  }

  Result<bool> bias() {
    double value = 0;
    if (!parse_number(line_, value) || !std::isfinite(value)) return bad("a finite number");
    model_.bias = value >= 0 ? std::optional(value) : std::nullopt;
    return true;
  }

  Result<Kind> check_header() const {
    if (model_.solver.empty()) return missing("solver_type");
    if (!classes_) return missing("nr_class");
    if (!features_) return missing("nr_feature");
    const Kind kind = find_solver(model_.solver)->kind;
    if (kind == Kind::kRegression) {
      if (model_.labels.empty()) return kind;
      return fail(ErrorCode::kInvalidInput, "{}: found labels, expected none with {}", file_,
                  model_.solver);
    }
    if (model_.labels.size() == *classes_) return kind;
    return fail(ErrorCode::kInvalidInput, "{}: found {} labels, expected {}, the value of nr_class",
                file_, model_.labels.size(), *classes_);
  }

  Result<void> weights(bool of_bias) {
    if (!next_line()) return ended("a line of weights for each feature");
    for (LinearColumn& column : model_.columns) {
      const std::string_view word = next_word();
      double weight = 0;
      if (!parse_number(word, weight) || !std::isfinite(weight)) {
        line_ = word;
        return bad(counted(model_.columns.size(), "finite number"));
      }
      if (of_bias) {
        column.bias_weight = weight;
      } else {
        column.weights.push_back(weight);
      }
    }
    if (line_.empty()) return {};
    return bad(fmt::format("no more than {} numbers", model_.columns.size()));
  }

  tl::unexpected<Error> bad(std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "{}: line {}: found {}, expected {}", file_, number_,
                data::quoted(line_), expected);
  }
  tl::unexpected<Error> ended(std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "{}: line {}: found the end of the file, expected {}",
                file_, number_ + 1, expected);
  }
  tl::unexpected<Error> missing(std::string_view key) const {
    return fail(ErrorCode::kInvalidInput, "{}: line {}: found no {} before w, expected one", file_,
                number_, key);
  }

  std::string_view file_;
  std::string_view text_;
  std::string_view line_;     // The unread part of the line.
  std::uint64_t number_ = 0;  // Number of the line, from 1.
  LinearModel model_;
  std::optional<std::uint32_t> classes_;
  std::optional<std::uint32_t> features_;
};

}  // namespace

std::optional<std::string> liblinear_solver(std::string_view model) {
  if (model == "logistic") return "L2R_LR_DUAL";
  if (model == "svm") return "L2R_L1LOSS_SVC_DUAL";
  if (model == "svm-l2") return "L2R_L2LOSS_SVC_DUAL";
  if (model::is_regression(model)) return "L2R_L2LOSS_SVR_DUAL";
  return std::nullopt;
}

std::optional<LinearModel> linear_model(std::string_view model,
                                        const std::vector<float>& parameters, int negative_label) {
  SURETY_CHECK(negative_label == -1 || negative_label == 0);
  std::optional<std::string> solver = liblinear_solver(model);
  if (!solver) return std::nullopt;
  LinearModel linear;
  linear.solver = std::move(*solver);
  if (find_solver(linear.solver)->kind != Kind::kRegression) linear.labels = {1, negative_label};
  linear.features = static_cast<std::uint32_t>(parameters.size());
  linear.columns.push_back({.weights = {parameters.begin(), parameters.end()}, .bias_weight = 0});
  return linear;
}

std::string to_liblinear(const LinearModel& model) {
  // LIBLINEAR writes two classes for a regression.
  std::string text = fmt::format("solver_type {}\nnr_class {}\n", model.solver,
                                 model.classifies() ? model.labels.size() : 2);
  if (model.classifies()) {
    text += "label";
    for (const int label : model.labels) text += fmt::format(" {}", label);
    text += '\n';
  }
  text += fmt::format("nr_feature {}\nbias {}\nw\n", model.features, model.bias.value_or(-1));
  const auto line = [&](auto weight_of) {
    for (const LinearColumn& column : model.columns) {
      SURETY_CHECK(std::isfinite(weight_of(column)));
      fmt::format_to(std::back_inserter(text), "{} ", weight_of(column));
    }
    text += '\n';
  };
  for (std::size_t feature = 0; feature < model.features; ++feature) {
    line([&](const LinearColumn& column) { return column.weights[feature]; });
  }
  if (model.bias) line([](const LinearColumn& column) { return column.bias_weight; });
  return text;
}

Result<LinearModel> parse_liblinear_model(std::string_view file, std::string_view text) {
  return Parser(file, text).parse();
}

}  // namespace surety::learn
