#include "worker/operations/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fabric/allreduce/schedule.h"

namespace surety::worker {
namespace {

bool contains(const std::vector<WorkerId>& workers, WorkerId worker) {
  return std::ranges::binary_search(workers, worker);
}

}  // namespace

Result<void> check(const Round& round, WorkerId self) {
  const auto defect = [&](const std::string& what) {
    return fail(ErrorCode::kDefect, "round of command {}: {}", round.sequence, what);
  };
  const auto* copy = std::get_if<RoundCopy>(&round.kind);
  if (!fabric::is_ascending(round.members) ||
      (copy != nullptr && !fabric::is_ascending(copy->holders))) {
    return defect("its workers are not in ascending order");
  }
  if (!contains(round.members, self) && (copy == nullptr || !contains(copy->holders, self))) {
    return defect("this worker is not in it");
  }
  if (copy != nullptr) {
    if (copy->holders.empty()) return defect("a copy needs a holder");
    const auto is_member = [&](WorkerId holder) { return contains(round.members, holder); };
    const auto twice = std::ranges::find_if(copy->holders, is_member);
    if (twice == copy->holders.end()) return {};
    return defect(fmt::format("worker {} is in it twice", *twice));
  }
  const auto& sum = std::get<RoundSum>(round.kind);
  if (sum.weights.size() != round.members.size()) return defect("each member needs one weight");
  const auto is_finite = [](float weight) { return std::isfinite(weight); };
  if (!std::ranges::all_of(sum.weights, is_finite)) return defect("a weight is not finite");
  if (!sum.shares) return {};
  const Result<void> shares = fabric::check_shares(*sum.shares, round.members.size());
  if (!shares) return defect(shares.error().message);
  return {};
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
