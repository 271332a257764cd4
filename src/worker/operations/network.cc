#include "worker/operations/network.h"

#include <algorithm>
#include <cmath>

#include "fabric/allreduce/schedule.h"

namespace surety::worker {
namespace {

bool is_ascending(const std::vector<WorkerId>& workers) {
  return std::ranges::adjacent_find(workers, std::greater_equal<>()) == workers.end();
}

bool contains(const std::vector<WorkerId>& workers, WorkerId worker) {
  return std::ranges::binary_search(workers, worker);
}

}  // namespace

Result<void> check(const Round& round, WorkerId self) {
  const auto defect = [](const char* what) {
    return fail(ErrorCode::kDefect, "a round: {}", what);
  };
  if (!is_ascending(round.members) || !is_ascending(round.holders)) {
    return defect("its workers are not in ascending order");
  }
  if (!contains(round.members, self) && !contains(round.holders, self)) {
    return defect("this worker is not in it");
  }
  const auto is_member = [&](WorkerId holder) { return contains(round.members, holder); };
  if (std::ranges::any_of(round.holders, is_member)) return defect("a worker is in it twice");
  if (!round.holders.empty()) return {};  // A copy needs no weights.
  if (round.weights.size() != round.members.size()) return defect("each member needs one weight");
  const auto is_finite = [](float weight) { return std::isfinite(weight); };
  if (!std::ranges::all_of(round.weights, is_finite)) return defect("a weight is not finite");
  return fabric::check_shares(round.shares, round.members.size());
}

std::optional<std::uint64_t> sequence_of(const NetworkEvent& event) {
  return std::visit(
      [](const auto& of_kind) -> std::optional<std::uint64_t> {
        if constexpr (requires { of_kind.sequence; }) {
          return of_kind.sequence;
        } else {
          return std::nullopt;
        }
      },
      event);
}

}  // namespace surety::worker
