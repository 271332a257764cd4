// The metric of a model that ignores its input. A promise of no more than that is worth nothing,
// because most samples may have the same label.
#pragma once

#include <optional>
#include <vector>

#include "data/sources/source_info.h"
#include "job/job.h"

namespace surety::orchestrator {

struct CommonLabel {
  float label = 0;   // The most common label of the training samples.
  double share = 0;  // Its share of them.
};
// None if the labels are not known, or are real numbers. O(labels).
[[nodiscard]] std::optional<CommonLabel> common_label(const std::vector<data::SourceInfo>& sources);

struct LabelGuess {
  double metric = 0;  // An accuracy, or a loss.
  CommonLabel most;
};

// The best such model on the training samples: it answers with the most common label, or with the
// shares of all labels. None unless the model is a classifier and the metric is an accuracy or the
// logarithmic loss. O(labels).
[[nodiscard]] std::optional<LabelGuess> label_guess(const job::Job& job,
                                                    const std::vector<data::SourceInfo>& sources);

}  // namespace surety::orchestrator
