// A worker's own copy of a model that others change too (asynchronous local SGD). It keeps track of
// which of the worker's work is contained in the model that the worker pulls, and which is not.
//
// seal() makes an update of the work since the last one. The update is on its way until a model
// comes back that contains it. What the worker learned meanwhile is added to that model, and so is
// what was dropped on the way: no work is lost, and none counts twice.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace surety::learn {

struct ReplicaOptions {
  float weight = 1;  // Weight of this worker's work in the shared model.
  // Weight of this worker's changes of statistics of the data, which are averaged over the workers.
  // If many workers added theirs in full, a variance could become negative.
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
  // count). The local model, `parameters`, becomes this model plus all work that is not in it.
  // REQUIRES: seal() once before each adopt().
  void adopt(std::span<const float> model,
             std::span<const std::pair<std::size_t, std::size_t>> dropped,
             std::span<float> parameters);

  // The sum of all that was learned here, in updates or not, unweighted: the change that this
  // worker alone would have made. `parameters` is the local model.
  [[nodiscard]] std::vector<float> learned(std::span<const float> parameters) const;

 private:
  ReplicaOptions options_;
  std::vector<float> base_;    // The local model at the last seal() or adopt().
  std::vector<float> sealed_;  // The work in the last update, unweighted.
  std::vector<float> sent_;    // The work in all updates, unweighted, without what was dropped.
};

}  // namespace surety::learn
