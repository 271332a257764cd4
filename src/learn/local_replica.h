// A worker's own copy of a model that others change as well (asynchronous local SGD): which of its
// work the model that it pulls contains, and which it does not yet.
//
// Work becomes an update when it is sealed; the update is on its way until a model comes back that
// contains it. What was learned meanwhile lies on top of that model, as does what was dropped on
// the way: no work is lost, none counts twice.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace surety::learn {

struct ReplicaOptions {
  float weight = 1;  // Of our work in the shared model.
  // The same of statistics of the data: averaged over the workers. Added in full by many, a
  // variance would become negative.
  float statistics_weight = 1;
};

class LocalReplica {
 public:
  LocalReplica(std::span<const float> model, const ReplicaOptions& options)
      : options_(options), base_(model.begin(), model.end()), sent_(model.size()) {}

  // All work since the last update, as one; from `trainable` on values are statistics. REQUIRES:
  // parameters of the model's size.
  [[nodiscard]] std::vector<float> seal(std::span<const float> parameters, std::size_t trainable);

  // A model that contains the update sealed last, but for these ranges (first, count): the local
  // model becomes that and all work that is not in it. REQUIRES: seal() once before each adopt().
  void adopt(std::span<const float> model,
             std::span<const std::pair<std::size_t, std::size_t>> dropped,
             std::span<float> parameters);

  // All that was learned here, in updates or not, of which the local model is `parameters`: what it
  // would have changed by alone. Unweighted.
  [[nodiscard]] std::vector<float> learned(std::span<const float> parameters) const;

 private:
  ReplicaOptions options_;
  std::vector<float> base_;    // The local model at the last seal() or adopt().
  std::vector<float> sealed_;  // The work in the last update, unweighted,
  std::vector<float> sent_;    // and in all of them, without what was dropped.
};

}  // namespace surety::learn
