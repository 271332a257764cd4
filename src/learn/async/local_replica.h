// A worker's own copy of a model that others change too (asynchronous local SGD). It records which
// part of the worker's work is contained in the model that the worker pulls.
//
// seal() makes an update of the work since the last update. The update is under way until the
// worker gets a model that contains it. The work that was learned meanwhile is added to that model,
// and so are the parts of the update that were dropped. So no work is lost, and no work counts
// twice.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace surety::learn {

struct ReplicaOptions {
  float weight = 1;  // Weight of this worker's work in the shared model.
  // Weight of this worker's changes of statistics of the data, which are averaged over the workers.
  // If many workers added their changes in full, a variance could become negative.
  float statistics_weight = 1;
};

class LocalReplica {
 public:
  LocalReplica(std::span<const float> model, const ReplicaOptions& options)
      : options_(options), base_(model.begin(), model.end()), sent_(model.size()) {}

  // All work since the last update, as one update. Values from index `trainable` on are statistics.
  // REQUIRES: parameters of the model's size.
  [[nodiscard]] std::vector<float> seal(std::span<const float> parameters, std::size_t trainable);

  // Takes a model that contains the last sealed update, except for the `dropped` ranges (first,
  // count). The local model, `parameters`, becomes this model plus all work that it does not
  // contain. REQUIRES: seal() once before each adopt().
  void adopt(std::span<const float> model,
             std::span<const std::pair<std::size_t, std::size_t>> dropped,
             std::span<float> parameters);

  // The unweighted sum of all work of this worker, whether it is in an update or not: the change
  // that this worker alone would have made. `parameters` is the local model.
  [[nodiscard]] std::vector<float> learned(std::span<const float> parameters) const;

 private:
  ReplicaOptions options_;
  std::vector<float> base_;    // The local model at the last seal() or adopt().
  std::vector<float> sealed_;  // The work in the last update, unweighted.
  std::vector<float> sent_;    // The work in all updates, unweighted, without the dropped parts.
};

}  // namespace surety::learn
