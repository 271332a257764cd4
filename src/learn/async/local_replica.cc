#include "learn/async/local_replica.h"

#include "base/check.h"

namespace surety::learn {

std::vector<float> LocalReplica::seal(std::span<const float> parameters, std::size_t trainable) {
  SURETY_CHECK(parameters.size() == base_.size());
  sealed_.resize(base_.size());
  std::vector<float> update(base_.size());
  for (std::size_t i = 0; i < base_.size(); ++i) {
    sealed_[i] = parameters[i] - base_[i];
    sent_[i] += sealed_[i];
    const float weight = i < trainable ? options_.weight : options_.statistics_weight;
    update[i] = weight * sealed_[i];
    base_[i] = parameters[i];
  }
  return update;
}

void LocalReplica::adopt(std::span<const float> model,
                         std::span<const std::pair<std::size_t, std::size_t>> dropped,
                         std::span<float> parameters) {
  SURETY_CHECK(model.size() == base_.size() && parameters.size() == base_.size());
  for (std::size_t i = 0; i < base_.size(); ++i) parameters[i] += model[i] - base_[i];
  for (const auto& [first, count] : dropped) {
    for (std::size_t i = first; i < first + count; ++i) {
      parameters[i] += sealed_[i];
      sent_[i] -= sealed_[i];
    }
  }
  base_.assign(model.begin(), model.end());
}

std::vector<float> LocalReplica::learned(std::span<const float> parameters) const {
  SURETY_CHECK(parameters.size() == base_.size());
  std::vector<float> sum = sent_;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += parameters[i] - base_[i];
  return sum;
}

}  // namespace surety::learn
