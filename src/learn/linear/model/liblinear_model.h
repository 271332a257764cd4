// LIBLINEAR's model files: text that liblinear-predict and all programs built on LIBLINEAR read.
//
//   solver_type L2R_LR_DUAL
//   nr_class 2
//   label 1 -1                 absent for a regression
//   nr_feature 123
//   bias -1                    negative: no bias; else the value of a last, constant feature
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
#include "learn/linear/model/linear_model.h"

namespace surety::learn {

// LIBLINEAR's name for the solver of this objective. If LIBLINEAR has no such solver (an L1 norm
// with squared loss), the name of a solver whose models predict in the same way. nullopt if `model`
// is not linear.
[[nodiscard]] std::optional<std::string> liblinear_solver(std::string_view model);

// A model of the zoo as a LinearModel: its parameters are the weights, and the positive class comes
// first. nullopt if liblinear_solver() returns nullopt. `negative_label` is the label of the other
// class in the data, -1 or 0.
[[nodiscard]] std::optional<LinearModel> linear_model(std::string_view model,
                                                      const std::vector<float>& parameters,
                                                      int negative_label);

// ENSURES: parse_liblinear_model() gives back the same model, bit for bit.
// REQUIRES: finite weights, and the numbers of labels and columns that linear_model.h describes.
[[nodiscard]] std::string to_liblinear(const LinearModel& model);

// InvalidInput, with file, line (from 1), found and expected, if the text is not such a file.
// Memory in proportion to the text, regardless of the sizes in its header.
[[nodiscard]] Result<LinearModel> parse_liblinear_model(std::string_view file,
                                                        std::string_view text);

}  // namespace surety::learn
