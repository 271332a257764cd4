#include "fabric/lanes/lanes.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::fabric {

Slice block_slice(std::uint64_t elements, std::uint32_t blocks, std::uint32_t block) {
  SURETY_CHECK(block < blocks);
  const std::uint64_t base = elements / blocks;
  const std::uint64_t longer = elements % blocks;
  return {.first = block * base + std::min<std::uint64_t>(block, longer),
          .count = base + (block < longer ? 1 : 0)};
}

std::vector<Lane> cut_lanes(Slice whole, const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) {
    SURETY_CHECK(share.fraction >= 0);
    sum += share.fraction;
  }
  SURETY_CHECK(sum > 0);
  std::vector<Lane> lanes;
  double before = 0;
  std::uint64_t from = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    before += shares[i].fraction;
    const double exact = std::round(static_cast<double>(whole.count) * before / sum);
    const std::uint64_t to = i + 1 == shares.size()
                                 ? whole.count
                                 : std::min(whole.count, static_cast<std::uint64_t>(exact));
    if (to <= from) continue;
    if (!lanes.empty() && lanes.back().hub == shares[i].worker) {
      lanes.back().slice.count += to - from;
    } else {
      lanes.push_back({shares[i].worker, {.first = whole.first + from, .count = to - from}});
    }
    from = to;
  }
  return lanes;
}

std::vector<Share> hubs_of(const SharePlan& plan, WorkerId owner) {
  std::vector<Share> shares{{owner, plan.direct}};
  shares.insert(shares.end(), plan.shares.begin(), plan.shares.end());
  return shares;
}

std::vector<Transfer> transfers_of(const Operation& operation, const std::vector<Lane>& lanes) {
  std::vector<Transfer> transfers;
  for (const TransferKind kind : {TransferKind::kContribution, TransferKind::kResult}) {
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      const auto [hub, slice] = lanes[l];
      const bool contributes = kind == TransferKind::kContribution;
      for (const WorkerId worker : contributes ? operation.sources : operation.sinks) {
        if (worker == hub) continue;
        transfers.push_back(
            {l, kind, contributes ? worker : hub, contributes ? hub : worker, slice});
      }
    }
  }
  return transfers;
}

std::string lane_error(Slice whole, const std::vector<Lane>& lanes) {
  if (lanes.size() > kLanesMax)
    return fmt::format("found {} lanes, expected at most {}", lanes.size(), kLanesMax);
  std::uint64_t at = whole.first;
  const std::uint64_t end = whole.first + whole.count;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const Slice slice = lanes[l].slice;
    if (slice.count == 0 || slice.first != at || slice.count > end - at) {
      return fmt::format("lane {} is {} elements at {}, expected some at {} up to {}", l,
                         slice.count, slice.first, at, end);
    }
    at += slice.count;
  }
  if (at != end) return fmt::format("the lanes end at {}, but the slice ends at {}", at, end);
  return {};
}

}  // namespace surety::fabric
