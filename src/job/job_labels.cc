#include "job/job_labels.h"

#include <algorithm>
#include <cmath>

#include "model/zoo.h"

namespace surety::job {
namespace {

using data::place_of;

bool is_sign(float label) { return label == 1 || label == -1 || label == 0; }
bool is_class(float label) { return label >= 0 && label == std::floor(label); }

// Refuses the first label in ascending order that is not wanted.
Result<void> check_each(const data::SourceInfo& source, bool (*is_wanted)(float),
                        std::string_view expected) {
  if (source.samples > 0 && source.label_histogram.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found more than 1,000 different labels in {} samples, expected {}",
                place_of(source), source.samples, expected);
  }
  for (const auto& [label, count] : source.label_histogram) {
    if (is_wanted(label)) continue;
    return fail(ErrorCode::kInvalidInput, "{}: found label {} in {} of {} samples, expected {}",
                place_of(source), label, count, source.samples, expected);
  }
  return {};
}

std::uint32_t classes_of(const std::vector<data::SourceInfo>& sources) {
  std::uint32_t classes = 0;
  for (const data::SourceInfo& source : sources) {
    classes = std::max(classes, source.schema.classes);
  }
  return classes;
}

bool is_learned(const std::vector<data::SourceInfo>& sources, std::uint32_t label) {
  return std::any_of(sources.begin(), sources.end(), [&](const data::SourceInfo& source) {
    const auto entry = source.label_histogram.find(static_cast<float>(label));
    return entry != source.label_histogram.end() && entry->second > 0;
  });
}

Result<void> check_every_class(const std::vector<data::SourceInfo>& sources) {
  const std::uint32_t classes = classes_of(sources);
  // If a label is too large for a class, the reader treats all labels of the source as numbers.
  for (const data::SourceInfo& source : sources) {
    if (source.schema.classes > 0 || source.label_histogram.empty()) continue;
    const auto& [label, count] = *source.label_histogram.rbegin();
    return fail(ErrorCode::kInvalidInput,
                "{}: found label {} in {} of {} samples, expected classes numbered 0, 1, 2, ... "
                "without gaps",
                place_of(source), label, count, source.samples);
  }
  if (classes < 2) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found class 0 in every training sample, expected at least two classes",
                place_of(sources.front()));
  }
  for (std::uint32_t label = 0; label < classes; ++label) {
    if (is_learned(sources, label)) continue;
    bool has_all_others = true;
    for (std::uint32_t other = label + 1; other < classes; ++other) {
      has_all_others = has_all_others && is_learned(sources, other);
    }
    return fail(ErrorCode::kInvalidInput,
                "{}: found no training sample of class {}, expected some of each class from 0 to "
                "{}: {}",
                place_of(sources.front()), label, classes - 1,
                label == 0 && has_all_others
                    ? "number the classes from 0, not from 1"
                    : "add a data set that has some, or number the classes without gaps");
  }
  return {};
}

Result<void> check_networks(const Job& job, const std::vector<data::SourceInfo>& sources,
                            const std::optional<data::SourceInfo>& validation) {
  const std::string expected = fmt::format(
      "classes 0, 1, 2, ...: {} predicts classes; ridge, lasso and elastic-net predict numbers",
      job.model.zoo);
  for (const data::SourceInfo& source : sources) {
    SURETY_TRY(check_each(source, is_class, expected));
  }
  SURETY_TRY(check_every_class(sources));
  if (!validation) return {};
  SURETY_TRY(check_each(*validation, is_class, expected));
  const std::uint32_t classes = classes_of(sources);
  if (validation->schema.classes <= classes) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: found class {}, expected classes up to {}, those that training samples have",
              place_of(*validation), validation->schema.classes - 1, classes - 1);
}

Result<void> check_signs(const Job& job, const std::vector<data::SourceInfo>& sources,
                         const std::optional<data::SourceInfo>& validation) {
  const std::string expected = fmt::format(
      "-1 and +1, or 0 and 1: {} predicts two classes; ridge, lasso and elastic-net predict "
      "numbers, and mlp predicts more classes",
      job.model.zoo);
  bool has[2] = {false, false};
  for (const data::SourceInfo& source : sources) {
    SURETY_TRY(check_each(source, is_sign, expected));
    for (const auto& [label, count] : source.label_histogram) has[label > 0] = true;
  }
  if (has[0] != has[1]) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found one label in all training samples, expected {}",
                place_of(sources.front()), expected);
  }
  return validation ? check_each(*validation, is_sign, expected) : Result<void>();
}

}  // namespace

Result<void> check_labels(const Job& job, const std::vector<data::SourceInfo>& sources,
                          const std::optional<data::SourceInfo>& validation) {
  if (model::is_regression(job.model.zoo)) return {};
  return model::is_linear(job.model.zoo) ? check_signs(job, sources, validation)
                                         : check_networks(job, sources, validation);
}

int negative_label(const std::vector<data::SourceInfo>& sources) {
  const auto have = [&](float label) {
    return std::any_of(sources.begin(), sources.end(), [&](const data::SourceInfo& source) {
      return source.label_histogram.contains(label);
    });
  };
  return have(0) && !have(-1) ? 0 : -1;
}

}  // namespace surety::job
