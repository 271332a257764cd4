#include "fabric/allreduce/schedule.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::fabric {
namespace {

// Part i of `count` parts: the first (elements mod count) parts are one element longer.
Slice equal_part(std::uint64_t elements, std::uint64_t count, std::uint64_t i) {
  const std::uint64_t base = elements / count;
  const std::uint64_t longer = elements % count;
  return {.first = i * base + std::min(i, longer), .count = base + (i < longer ? 1 : 0)};
}

void add_transfer(Schedule& schedule, TransferKind kind, WorkerId from, WorkerId to, Slice slice) {
  if (slice.count == 0) return;
  const auto step = static_cast<std::uint32_t>(schedule.transfers.size());
  schedule.transfers.push_back({step, kind, from, to, slice});
}

}  // namespace

bool is_ascending(const std::vector<WorkerId>& ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

Result<void> check_shares(const std::vector<double>& shares, std::size_t members) {
  if (shares.empty()) return {};
  double sum = 0;
  for (const double share : shares) {
    if (!(share >= 0))
      return fail(ErrorCode::kInvalidInput, "found a share of {} of a sum, expected at least 0",
                  share);
    sum += share;
  }
  if (shares.size() == members && std::abs(sum - 1) < 1e-6) return {};
  return fail(ErrorCode::kInvalidInput, "found {} shares that sum to {}, expected {} that sum to 1",
              shares.size(), sum, members);
}

Schedule all_reduce(const std::vector<WorkerId>& members, std::uint64_t elements,
                    const std::vector<double>& shares) {
  SURETY_CHECK(!members.empty());
  SURETY_CHECK(is_ascending(members));
  SURETY_CHECK(check_shares(shares, members.size()).has_value());
  Schedule schedule{.kind = ScheduleKind::kAllReduce, .members = members};
  const std::size_t count = members.size();
  std::uint64_t first = 0;
  double until = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (shares.empty()) {
      schedule.parts.push_back(equal_part(elements, count, i));
      continue;
    }
    until += shares[i] * static_cast<double>(elements);
    const bool is_last = i + 1 == count;
    const std::uint64_t end =
        is_last ? elements : std::min(elements, static_cast<std::uint64_t>(std::llround(until)));
    schedule.parts.push_back({.first = first, .count = end - first});
    first = end;
  }
  for (std::size_t d = 1; d < count; ++d) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t owner = (i + d) % count;
      add_transfer(schedule, TransferKind::kContribution, members[i], members[owner],
                   schedule.parts[owner]);
    }
  }
  for (std::size_t d = 1; d < count; ++d) {
    for (std::size_t owner = 0; owner < count; ++owner) {
      add_transfer(schedule, TransferKind::kResult, members[owner], members[(owner + d) % count],
                   schedule.parts[owner]);
    }
  }
  return schedule;
}

Schedule distribute(const std::vector<WorkerId>& holders, const std::vector<WorkerId>& receivers,
                    std::uint64_t elements) {
  SURETY_CHECK(!holders.empty());
  SURETY_CHECK(is_ascending(holders) && is_ascending(receivers));
  Schedule schedule{.kind = ScheduleKind::kDistribute};
  std::merge(holders.begin(), holders.end(), receivers.begin(), receivers.end(),
             std::back_inserter(schedule.members));
  // Fails if a worker is both a holder and a receiver.
  SURETY_CHECK(is_ascending(schedule.members));

  std::size_t next_holder = 0;
  for (const WorkerId member : schedule.members) {
    const bool holds = next_holder < holders.size() && holders[next_holder] == member;
    // An empty part begins where the next one does, so that the parts stay in order.
    Slice part{.first = next_holder < holders.size()
                            ? equal_part(elements, holders.size(), next_holder).first
                            : elements};
    if (holds) part = equal_part(elements, holders.size(), next_holder++);
    schedule.parts.push_back(part);
  }
  for (std::size_t d = 0; d < receivers.size(); ++d) {
    for (std::size_t i = 0; i < holders.size(); ++i) {
      add_transfer(schedule, TransferKind::kResult, holders[i],
                   receivers[(i + d) % receivers.size()], equal_part(elements, holders.size(), i));
    }
  }
  return schedule;
}

}  // namespace surety::fabric
