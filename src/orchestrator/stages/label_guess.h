// The metric of a model that ignores its input. A promise of no more than that is worth nothing,
// because most samples may have the same label, or labels that are all near their mean.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "data/sources/source_info.h"
#include "job/job.h"

namespace surety::orchestrator {

struct CommonLabel {
  float label = 0;   // The most common label of all samples of some sources.
  double share = 0;  // Its share of them.
};
// None if the labels are not known, or are real numbers. O(labels).
[[nodiscard]] std::optional<CommonLabel> common_label(std::span<const data::SourceInfo> sources);

struct LabelGuess {
  double metric = 0;  // An accuracy, or a loss.
  CommonLabel most;
};

// The best such model on the samples that judge the promise: it answers with their most common
// label, or with the shares of all labels. These samples are those of `validation`, or are held out
// from `sources`, and then all samples of `sources` stand for them. None unless the model is a
// classifier and the metric is an accuracy or the logarithmic loss. O(labels).
[[nodiscard]] std::optional<LabelGuess> label_guess(
    const job::Job& job, const std::vector<data::SourceInfo>& sources,
    const std::optional<data::SourceInfo>& validation);

struct MeanGuess {
  double loss = 0;  // Half the mean squared error.
  double mean = 0;
};
// The same for a regression: the model always answers the mean label. None unless the model is a
// regression, the metric is the validation loss, and the labels differ. O(sources).
// REQUIRES: this process has read the sources (data/sources/source_info.h, SourceHints).
[[nodiscard]] std::optional<MeanGuess> mean_guess(
    const job::Job& job, const std::vector<data::SourceInfo>& sources,
    const std::optional<data::SourceInfo>& validation);

}  // namespace surety::orchestrator
