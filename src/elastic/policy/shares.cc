#include "elastic/policy/shares.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace surety::elastic {

double median(std::vector<double> values) {
  SURETY_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Each batch goes to the worker that would finish it first. This is optimal, because a worker's
// next batch never ends before its last one.
std::vector<std::uint32_t> quotas(std::span<const double> costs, std::uint32_t batches,
                                  std::uint32_t batch) {
  SURETY_CHECK(!costs.empty() && batch > 0);
  // The time at which one more batch would end, and the index of the worker.
  using Next = std::tuple<double, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<std::uint32_t> shares(costs.size(), 1);
  for (std::size_t k = 0; k < costs.size(); ++k) {
    SURETY_CHECK(costs[k] > 0);
    next.emplace(2 * costs[k], k);
  }
  for (std::size_t given = costs.size(); given < batches; ++given) {
    const std::size_t k = std::get<1>(next.top());
    next.pop();
    ++shares[k];
    next.emplace((shares[k] + 1) * costs[k], k);
  }
  // Quotas are limited to the largest number that their type can hold.
  for (std::uint32_t& share : shares) {
    share = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        std::uint64_t{share} * batch, std::numeric_limits<std::uint32_t>::max()));
  }
  return shares;
}

std::optional<double> cut_off_s(std::vector<double> predicted_s, std::size_t working,
                                const CutOffOptions& options) {
  SURETY_CHECK(predicted_s.size() <= working && options.factor >= 1);
  if (working < 2 || 2 * predicted_s.size() <= working) return std::nullopt;
  const double middle = median(std::move(predicted_s));
  return std::max(options.factor * middle, middle + options.slack_min_s);
}

}  // namespace surety::elastic
