#include "fabric/exchange/options.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fabric/allreduce/schedule.h"

namespace surety::fabric {
namespace {

// Part of a block that one worker should own at least, in bytes.
constexpr std::uint64_t kPartBytes = 32u << 10;
// A smaller block is not worth a round.
constexpr std::uint64_t kBlockBytes = 64u << 10;
constexpr std::uint64_t kBlocksUseful = 2;
constexpr std::uint64_t kBlocksAtMost = 32;

tl::unexpected<Error> refuse(std::string_view what) {
  return fail(ErrorCode::kInvalidInput, "exchange: {}", what);
}

}  // namespace

bool is_worker(const ExchangeOptions& options, WorkerId worker) {
  return std::binary_search(options.workers.begin(), options.workers.end(), worker);
}

std::uint32_t blocks_for(std::uint64_t elements, std::size_t workers) {
  const std::uint64_t bytes = elements * sizeof(float);
  const auto least = std::clamp<std::uint64_t>(bytes / kBlockBytes, 1, kBlocksUseful);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(bytes / (workers * kPartBytes), least, kBlocksAtMost));
}

Result<void> check(const ExchangeOptions& options) {
  const auto& workers = options.workers;
  if (workers.empty()) return refuse("found no workers, expected at least one");
  if (!is_ascending(workers)) return refuse("found workers that are not in ascending order");
  if (!is_worker(options, options.scheduler)) return refuse("the scheduler is not a worker");
  if (options.elements == 0) return refuse("the model is empty");
  const std::uint64_t blocks_max = std::min<std::uint64_t>(kBlocksMax, options.elements);
  if (options.blocks < 1 || options.blocks > blocks_max) {
    return refuse(fmt::format("found {} blocks, expected 1 to {}", options.blocks, blocks_max));
  }
  if (options.quorum.batch && options.quorum.ahead) {
    return refuse("workers wait either for a batch or for the slowest worker, not for both");
  }
  SURETY_TRY(check_owners(options, options.owners));
  if (!(options.nominal.out_bytes_per_s > 0 && options.nominal.in_bytes_per_s > 0)) {
    return refuse("a port has no rate");
  }
  for (const auto& [worker, port] : options.slow_ports) {
    if (!(port.out_bytes_per_s > 0 && port.in_bytes_per_s > 0)) return refuse("a port has no rate");
  }
  return {};
}

Result<void> check_owners(const ExchangeOptions& options, const std::vector<Share>& owners) {
  double sum = 0;
  std::vector<WorkerId> seen;
  for (const Share& owner : owners) {
    if (!is_worker(options, owner.worker) || !(owner.fraction > 0) ||
        !std::isfinite(owner.fraction)) {
      return refuse("an owner is not a worker, or owns nothing");
    }
    if (std::ranges::find(seen, owner.worker) != seen.end())
      return refuse("an owner is listed twice");
    seen.push_back(owner.worker);
    sum += owner.fraction;
  }
  if (!(std::abs(sum - 1) < 1e-6)) return refuse("the owners' parts do not sum to 1");
  return {};
}

Slice block_of(const ExchangeOptions& options, std::uint32_t block) {
  return block_slice(options.elements, options.blocks, block);
}

std::vector<Lane> parts_of(const ExchangeOptions& options, const std::vector<Share>& owners,
                           std::uint32_t block) {
  return cut_lanes(block_of(options, block), owners);
}

}  // namespace surety::fabric
