// LIBLINEAR's model files: text that liblinear-predict and everything built on LIBLINEAR reads.
//
//   solver_type L2R_LR_DUAL
//   nr_class 2
//   label 1 -1                 absent for a regression
//   nr_feature 123
//   bias -1                    negative: none; else the value of one more feature behind the others
//   w
//   0.25                       a line for each feature (and the bias): a weight for each column
//
// Source: save_model() and load_model() of LIBLINEAR 2.3 (Fan et al., "LIBLINEAR: A Library for
// Large Linear Classification", JMLR 9, 2008). One-class models (rho) are not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/linear_model.h"

namespace surety::learn {

// What LIBLINEAR calls the solver of this objective, or where it has none (an L1 norm under squared
// loss) one whose models predict alike. none for what is no linear model.
[[nodiscard]] std::optional<std::string> liblinear_solver(std::string_view model);

// A model of the zoo, whose weights are its parameters, in these terms. The positive class comes
// first. none where liblinear_solver() knows none.
// `negative_label`: what the data calls the other class, -1 or 0.
[[nodiscard]] std::optional<LinearModel> linear_model(std::string_view model,
                                                      const std::vector<float>& parameters,
                                                      int negative_label);

// ENSURES: parse_liblinear_model() gives back the same model, bit for bit.
// REQUIRES: finite weights; as many labels and columns as linear_model.h says.
[[nodiscard]] std::string to_liblinear(const LinearModel& model);

// InvalidInput, with file, line (from 1), found and expected, for anything else than such a file.
// Memory in proportion to the text, whatever its header claims.
[[nodiscard]] Result<LinearModel> parse_liblinear_model(std::string_view file,
                                                        std::string_view text);

}  // namespace surety::learn
