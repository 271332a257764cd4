#include "fabric/network/shares.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Only the aggregators with the most capacity are used, which limits the number of slices.
constexpr std::size_t kAggregatorsMax = 64;

double time_of(double load, double capacity) {
  // Rounding errors in differences of shares.
  if (load <= 1e-12) return 0;
  return capacity > 0 ? load / capacity : kNever;
}

// Keeps the `count` shares with the most capacity, ordered by worker.
void keep_largest(std::vector<Share>& shares, std::size_t count) {
  if (shares.size() <= count) return;
  const auto larger = [](const Share& a, const Share& b) {
    return a.fraction != b.fraction ? a.fraction > b.fraction : a.worker < b.worker;
  };
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(count),
                   shares.end(), larger);
  shares.resize(count);
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.worker < b.worker; });
}

double sum_of(const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.fraction;
  return sum;
}

// Scales the shares to the given sum. REQUIRES: their sum is positive.
void scale_to(std::vector<Share>& shares, double sum) {
  const double factor = sum / sum_of(shares);
  for (Share& share : shares) share.fraction *= factor;
}

}  // namespace

// The following code is for a push. For a pull, sending and receiving are exchanged.
struct SharePlanner::Work {
  SharePlanner& planner;
  const std::span<const Port> ports;
  const GroupTransfer& transfer;
  const bool push = transfer.direction == Direction::kPush;
  const double members = static_cast<double>(transfer.members.size());

  Work(SharePlanner& of, std::span<const Port> rates, const GroupTransfer& what)
      : planner(of), ports(rates), transfer(what) {
    SURETY_CHECK(!transfer.members.empty() && !transfer.owners.empty());
    for (PerWorker* per_worker : {&planner.sent_, &planner.received_, &planner.shares_,
                                  &planner.owned_, &planner.members_}) {
      per_worker->resize(ports.size(), 0);
    }
    for (const WorkerId member : transfer.members) planner.members_[member.value] = 1;
    for (const Share& owner : transfer.owners) planner.owned_[owner.worker.value] += owner.fraction;
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    for (const WorkerId member : transfer.members) planner.members_[member.value] = 0;
    for (const Share& owner : transfer.owners) planner.owned_[owner.worker.value] = 0;
  }

  [[nodiscard]] double out_rate(WorkerId worker) const {
    return rate_of(ports[worker.value], push ? PortSide::kOut : PortSide::kIn);
  }
  [[nodiscard]] double in_rate(WorkerId worker) const {
    return rate_of(ports[worker.value], push ? PortSide::kIn : PortSide::kOut);
  }
  [[nodiscard]] double is_member(WorkerId worker) const { return planner.members_[worker.value]; }
  [[nodiscard]] double owns(WorkerId worker) const { return planner.owned_[worker.value]; }

  void load(const SharePlan& plan);
  void unload(const SharePlan& plan);
  [[nodiscard]] double time_of_plan(const SharePlan& plan);
  [[nodiscard]] std::vector<Load> loads(const SharePlan& plan) const;

  [[nodiscard]] double time_min() const;
  [[nodiscard]] SharePlan two_hops() const;
  template <typename Visit>
  void for_each_worker(const SharePlan& plan, const Visit& visit) const;
};

// Visits all workers of the transfer; a worker may be visited more than once.
template <typename Visit>
void SharePlanner::Work::for_each_worker(const SharePlan& plan, const Visit& visit) const {
  for (const WorkerId member : transfer.members) visit(member);
  for (const Share& share : plan.shares) visit(share.worker);
  for (const Share& owner : transfer.owners) visit(owner.worker);
}

// No worker sends to itself: each term below excludes what a worker already has.
void SharePlanner::Work::load(const SharePlan& plan) {
  PerWorker& sent = planner.sent_;
  PerWorker& received = planner.received_;
  PerWorker& shares = planner.shares_;
  for (const Share& share : plan.shares) shares[share.worker.value] += share.fraction;
  for (const WorkerId member : transfer.members) {
    sent[member.value] += 1 - plan.direct - shares[member.value] + plan.direct * (1 - owns(member));
  }
  for (const Share& share : plan.shares) {
    const WorkerId worker = share.worker;
    received[worker.value] += (members - is_member(worker)) * share.fraction;
    sent[worker.value] += share.fraction * (1 - owns(worker));
  }
  const double sums = 1 - plan.direct;
  for (const Share& owner : transfer.owners) {
    const WorkerId worker = owner.worker;
    const double directly = plan.direct * (members - is_member(worker));
    received[worker.value] += owner.fraction * (directly + sums - shares[worker.value]);
  }
}

void SharePlanner::Work::unload(const SharePlan& plan) {
  for_each_worker(plan, [&](WorkerId worker) {
    for (PerWorker* per_worker : {&planner.sent_, &planner.received_, &planner.shares_}) {
      (*per_worker)[worker.value] = 0;
    }
  });
}

double SharePlanner::Work::time_of_plan(const SharePlan& plan) {
  load(plan);
  double time = 0;
  for_each_worker(plan, [&](WorkerId worker) {
    time = std::max({time, time_of(planner.sent_[worker.value], out_rate(worker)),
                     time_of(planner.received_[worker.value], in_rate(worker))});
  });
  unload(plan);
  return time;
}

std::vector<Load> SharePlanner::Work::loads(const SharePlan& plan) const {
  std::vector<WorkerId> workers;
  for_each_worker(plan, [&](WorkerId worker) { workers.push_back(worker); });
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  std::vector<Load> loads;
  for (const PortSide side : kPortSides) {
    const PerWorker& of = (side == PortSide::kOut) == push ? planner.sent_ : planner.received_;
    for (const WorkerId worker : workers) {
      if (of[worker.value] > 1e-12) loads.push_back({worker, side, of[worker.value]});
    }
  }
  return loads;
}

// A lower bound for any plan: a member sends all of its block, and an owner receives all of its
// part.
double SharePlanner::Work::time_min() const {
  double time = 0;
  for (const WorkerId member : transfer.members) {
    time = std::max(time, time_of(1 - owns(member), out_rate(member)));
  }
  for (const Share& owner : transfer.owners) {
    const double others = members > is_member(owner.worker) ? 1 : 0;
    time = std::max(time, time_of(owner.fraction * others, in_rate(owner.worker)));
  }
  return time;
}

// The closed form in the header. The capacity that owners need to receive their parts is subtracted
// from their capacity to sum for others. REQUIRES: there are two members or more.
SharePlan SharePlanner::Work::two_hops() const {
  const double t_min = time_min();
  SharePlan plan;
  for (const WorkerId worker : transfer.aggregators) {
    double capacity = (in_rate(worker) - owns(worker) / t_min) / (members - is_member(worker));
    if (is_member(worker) == 0) capacity = std::min(capacity, out_rate(worker));
    if (capacity > 0) plan.shares.push_back({worker, capacity});
  }
  keep_largest(plan.shares, kAggregatorsMax);
  const double capacity = sum_of(plan.shares);
  if (capacity == 0) return {};
  double owner_capacity = kNever;
  for (const Share& owner : transfer.owners) {
    owner_capacity = std::min(owner_capacity, in_rate(owner.worker) / owner.fraction);
  }
  const double t = std::max(t_min, members / (owner_capacity + (members - 1) * capacity));
  plan.direct = std::max(0.0, 1 - t * capacity);
  scale_to(plan.shares, 1 - plan.direct);
  for (Share& share : plan.shares) {
    share.fraction = std::min(share.fraction, transfer.fraction_max);
  }
  plan.direct = std::max(0.0, 1 - sum_of(plan.shares));
  return plan;
}

std::optional<SharePlan> SharePlanner::plan(std::span<const Port> ports,
                                            const GroupTransfer& transfer) {
  Work work(*this, ports, transfer);
  SharePlan best;
  best.s_per_byte = work.time_of_plan(best);
  if (work.members > 1 && work.time_min() > 0) {
    SharePlan plan = work.two_hops();
    plan.s_per_byte = work.time_of_plan(plan);
    if (plan.s_per_byte < best.s_per_byte) best = std::move(plan);
  }
  if (best.s_per_byte == kNever) return std::nullopt;
  return best;
}

std::vector<Load> SharePlanner::loads(std::span<const Port> ports, const GroupTransfer& transfer,
                                      const SharePlan& plan) {
  Work work(*this, ports, transfer);
  work.load(plan);
  std::vector<Load> loads = work.loads(plan);
  work.unload(plan);
  return loads;
}

}  // namespace surety::fabric
