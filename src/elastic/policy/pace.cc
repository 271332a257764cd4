#include "elastic/policy/pace.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace surety::elastic {
namespace {

// Maximum of balancing moves at one boundary: a tenth of the chunks, so that wrong speeds do little
// harm before they are corrected.
std::uint32_t moves_max(std::size_t chunks) {
  return std::max<std::uint32_t>(PlacementOptions{}.moves_max,
                                 static_cast<std::uint32_t>(chunks / 10));
}

}  // namespace

void Pace::observe(WorkerId worker, std::uint64_t given, std::uint64_t done, double seconds) {
  SURETY_CHECK(done <= given);
  const auto quota = quotas_.find(worker);
  const bool is_rest =
      !options_.whole_passes && quota != quotas_.end() && 2 * given < quota->second;
  if (!is_rest) speeds_.observe(worker, static_cast<double>(done), seconds);
}

BoundaryPolicy Pace::boundary(std::span<const WorkerId> workers, std::size_t chunks, bool shuffles,
                              std::uint32_t pass) const {
  BoundaryPolicy policy;
  if (options_.policies.rebalance) {
    policy.placement.moves_max = moves_max(chunks);
    policy.placement.bytes_max = options_.bytes_max;
    // A difference within two standard errors may be noise, and is not worth a move.
    policy.placement.imbalance_min =
        std::max(policy.placement.imbalance_min, 2 * speeds_.error(workers));
    const std::vector<double> costs = speeds_.seconds_per_work(workers);
    for (std::size_t w = 0; w < workers.size(); ++w) policy.costs[workers[w]] = costs[w];
  }
  if (options_.policies.shuffle && shuffles) {
    policy.shuffle =
        ShuffleOptions{.share = options_.shuffle_share, .bytes_max = options_.bytes_max};
    policy.shuffle_seed = mix64(options_.seed) ^ pass;
  }
  return policy;
}

std::map<WorkerId, std::uint32_t> Pace::quotas(std::span<const WorkerId> workers,
                                               std::uint32_t parts) {
  SURETY_CHECK(!workers.empty() && parts >= 1);
  quotas_.clear();
  if (options_.whole_passes) {
    for (const WorkerId worker : workers) {
      quotas_[worker] = std::numeric_limits<std::uint32_t>::max();
    }
    return quotas_;
  }
  std::vector<double> costs(workers.size(), 1);
  if (options_.policies.rebalance) costs = speeds_.seconds_per_work(workers);
  const IterationSize size = resize_.iteration(static_cast<std::uint32_t>(workers.size()));
  rate_ = size.rate;
  const auto least = static_cast<std::uint32_t>(workers.size());
  const std::uint32_t batches = std::max(size.batches / parts, least);
  const std::vector<std::uint32_t> shares = elastic::quotas(costs, batches, options_.batch);
  for (std::size_t w = 0; w < workers.size(); ++w) quotas_[workers[w]] = shares[w];
  return quotas_;
}

std::optional<std::string> Pace::take_remark() {
  if (resize_.reason() == remark_) return std::nullopt;
  return remark_ = resize_.reason();
}

// The prediction uses whole quotas if iterations have quotas, and otherwise the given work. At the
// end of a pass some workers have few samples left, and the others must not be cut off for that
// reason.
std::optional<double> Pace::cut_off_s(const std::map<WorkerId, std::vector<Work>>& work) const {
  if (!options_.policies.cut_off) return std::nullopt;
  std::vector<double> predicted_s;
  for (const auto& [worker, pieces] : work) {
    const auto cost = speeds_.seconds_per_work(worker);
    if (!cost) continue;
    double samples = 0;
    for (const Work& piece : pieces) samples += piece.count;
    const auto quota = quotas_.find(worker);
    if (!options_.whole_passes && quota != quotas_.end()) samples = quota->second;
    predicted_s.push_back(*cost * samples);
  }
  return elastic::cut_off_s(std::move(predicted_s), work.size(), options_.cut_off);
}

}  // namespace surety::elastic
