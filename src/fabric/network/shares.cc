#include "fabric/network/shares.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double time_of(double load, double capacity) {
  // Rounding errors in differences of shares.
  if (load <= 1e-12) return 0;
  return capacity > 0 ? load / capacity : kNever;
}

// Keeps the `count` shares with the most capacity, ordered by host.
void keep_largest(std::vector<Share>& shares, std::size_t count) {
  if (shares.size() <= count) return;
  const auto larger = [](const Share& a, const Share& b) {
    return a.fraction != b.fraction ? a.fraction > b.fraction : a.host < b.host;
  };
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(count),
                   shares.end(), larger);
  shares.resize(count);
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.host < b.host; });
}

double sum_of(const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.fraction;
  return sum;
}

double largest(const std::vector<Share>& shares) {
  double result = 0;
  for (const Share& share : shares) result = std::max(result, share.fraction);
  return result;
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
  const Network& network;
  const GroupTransfer& transfer;
  const bool push = transfer.direction == Direction::kPush;
  const double members = static_cast<double>(transfer.members.size());
  double racks_with_members = 0;
  // The number of copies of each sum that are sent, over all owners.
  double copies = 0;

  Work(SharePlanner& of, const Network& net, const GroupTransfer& what)
      : planner(of), network(net), transfer(what) {
    SURETY_CHECK(!transfer.members.empty() && !transfer.owners.empty());
    for (PerEnd* per_end : {&planner.sent_, &planner.received_, &planner.first_, &planner.second_,
                            &planner.owned_, &planner.members_}) {
      per_end->hosts.resize(network.ports.size(), 0);
      per_end->racks.resize(network.racks.size(), 0);
    }
    for (const HostId member : transfer.members) add(planner.members_, member, 1);
    for (const double count : planner.members_.racks) racks_with_members += count > 0 ? 1 : 0;
    for (const Share& owner : transfer.owners) {
      add(planner.owned_, owner.host, owner.fraction);
      copies += owner.fraction;
    }
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    for (const HostId member : transfer.members) clear(planner.members_, member);
    for (const Share& owner : transfer.owners) clear(planner.owned_, owner.host);
  }

  [[nodiscard]] const Port& port(HostId host) const { return network.ports[host.value]; }
  [[nodiscard]] double sends(const Port& port) const {
    return push ? port.out_bytes_per_s : port.in_bytes_per_s;
  }
  [[nodiscard]] double in_rate(const Port& port) const {
    return push ? port.in_bytes_per_s : port.out_bytes_per_s;
  }
  [[nodiscard]] double is_member(HostId host) const { return planner.members_.hosts[host.value]; }
  [[nodiscard]] double owns(HostId host) const { return planner.owned_.hosts[host.value]; }

  void add(PerEnd& per_end, HostId host, double amount) const {
    per_end.hosts[host.value] += amount;
    if (!network.racks.empty()) per_end.racks[port(host).rack] += amount;
  }
  void clear(PerEnd& per_end, HostId host) const {
    per_end.hosts[host.value] = 0;
    if (!network.racks.empty()) per_end.racks[port(host).rack] = 0;
  }

  void load(const SharePlan& plan);
  void load_members(const SharePlan& plan);
  void load_racks(const SharePlan& plan);
  [[nodiscard]] double slowest() const;
  void unload(const SharePlan& plan);
  [[nodiscard]] double time_of_plan(const SharePlan& plan);
  [[nodiscard]] std::vector<Load> loads(const SharePlan& plan) const;

  [[nodiscard]] double time_min() const;
  [[nodiscard]] SharePlan flat() const;
  [[nodiscard]] std::optional<SharePlan> by_rack() const;
  [[nodiscard]] std::optional<SharePlan> by_rack_twice(SharePlan rack, double stretch) const;
  template <typename Visit>
  void for_each_host(const SharePlan& plan, const Visit& visit) const;
};

// Visits all hosts of the transfer; a host may be visited more than once.
template <typename Visit>
void SharePlanner::Work::for_each_host(const SharePlan& plan, const Visit& visit) const {
  for (const HostId member : transfer.members) visit(member);
  for (const Share& share : plan.first) visit(share.host);
  for (const Share& share : plan.second) visit(share.host);
  for (const Share& owner : transfer.owners) visit(owner.host);
}

// No host sends to itself: each term below excludes what a host already has.
void SharePlanner::Work::load(const SharePlan& plan) {
  auto& sent = planner.sent_.hosts;
  auto& received = planner.received_.hosts;
  for (const Share& share : plan.first) add(planner.first_, share.host, share.fraction);
  for (const Share& share : plan.second) add(planner.second_, share.host, share.fraction);
  const bool racks = plan.shape == PlanShape::kRack || plan.shape == PlanShape::kRackTwice;
  const bool twice = plan.shape == PlanShape::kRackTwice;

  load_members(plan);
  for (const Share& share : plan.first) {
    const HostId host = share.host;
    const double sources = racks ? planner.members_.racks[port(host).rack] : members;
    received[host.value] += (sources - is_member(host)) * share.fraction;
    const double next = twice ? 1 - planner.second_.hosts[host.value] : copies - owns(host);
    sent[host.value] += share.fraction * next;
  }
  for (const Share& share : plan.second) {
    const double own = planner.first_.hosts[share.host.value];
    received[share.host.value] += share.fraction * (racks_with_members - own);
    sent[share.host.value] += share.fraction * (copies - owns(share.host));
  }
  const double sums = twice ? 1 : racks ? racks_with_members : 1 - plan.direct;
  for (const Share& owner : transfer.owners) {
    const HostId host = owner.host;
    const double own = (twice ? planner.second_ : planner.first_).hosts[host.value];
    const double directly = racks ? 0 : plan.direct * (members - is_member(host));
    received[host.value] += owner.fraction * (directly + sums - own);
  }
  if (!network.racks.empty()) load_racks(plan);
}

void SharePlanner::Work::load_members(const SharePlan& plan) {
  const bool racks = plan.shape == PlanShape::kRack || plan.shape == PlanShape::kRackTwice;
  const double direct = racks ? 0 : plan.direct;
  for (const HostId member : transfer.members) {
    planner.sent_.hosts[member.value] +=
        1 - direct - planner.first_.hosts[member.value] + direct * (copies - owns(member));
  }
}

void SharePlanner::Work::load_racks(const SharePlan& plan) {
  for (std::size_t r = 0; r < network.racks.size(); ++r) {
    double& sent = planner.sent_.racks[r];
    double& received = planner.received_.racks[r];
    const double here = planner.members_.racks[r];
    const double rack = here > 0 ? 1 : 0;
    const double first = planner.first_.racks[r];
    const double second = planner.second_.racks[r];
    const double owned = planner.owned_.racks[r];
    switch (plan.shape) {
      case PlanShape::kDirect:
      case PlanShape::kFlat:
        sent = here * (1 - plan.direct - first) + (here * plan.direct + first) * (copies - owned);
        received =
            (members - here) * (first + plan.direct * owned) + (1 - plan.direct - first) * owned;
        break;
      case PlanShape::kRack:
        sent = rack * (copies - owned);
        received = (racks_with_members - rack) * owned;
        break;
      case PlanShape::kRackTwice:
        sent = rack * (1 - second) + second * (copies - owned);
        received = (racks_with_members - rack) * second + (1 - second) * owned;
        break;
    }
  }
}

// Returns the highest time over the loads from load(): those of all hosts in the plan and all
// racks.
double SharePlanner::Work::slowest() const {
  double time = 0;
  const auto host = [&](HostId id) {
    time = std::max({time, time_of(planner.sent_.hosts[id.value], sends(port(id))),
                     time_of(planner.received_.hosts[id.value], in_rate(port(id)))});
  };
  for (const HostId member : transfer.members) host(member);
  for (const Share& owner : transfer.owners) host(owner.host);
  for (std::uint32_t id = 0; id < network.ports.size(); ++id) {
    if (planner.first_.hosts[id] > 0 || planner.second_.hosts[id] > 0) host(HostId{id});
  }
  for (std::size_t r = 0; r < network.racks.size(); ++r) {
    time = std::max({time, time_of(planner.sent_.racks[r], sends(network.racks[r])),
                     time_of(planner.received_.racks[r], in_rate(network.racks[r]))});
  }
  return time;
}

void SharePlanner::Work::unload(const SharePlan& plan) {
  for_each_host(plan, [&](HostId host) {
    for (PerEnd* per_end :
         {&planner.sent_, &planner.received_, &planner.first_, &planner.second_}) {
      clear(*per_end, host);
    }
  });
  std::fill(planner.sent_.racks.begin(), planner.sent_.racks.end(), 0.0);
  std::fill(planner.received_.racks.begin(), planner.received_.racks.end(), 0.0);
}

double SharePlanner::Work::time_of_plan(const SharePlan& plan) {
  load(plan);
  const double time = slowest();
  unload(plan);
  return time;
}

std::vector<Load> SharePlanner::Work::loads(const SharePlan& plan) const {
  using Kind = Resource::Kind;
  std::vector<HostId> hosts;
  for_each_host(plan, [&](HostId host) { hosts.push_back(host); });
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  std::vector<Load> out;
  std::vector<Load> in;
  const auto add_load = [](std::vector<Load>& to, Kind kind, std::uint32_t index, double load) {
    if (load > 1e-12) to.push_back({{kind, index}, load});
  };
  for (const HostId host : hosts) {
    const double sent = planner.sent_.hosts[host.value];
    const double received = planner.received_.hosts[host.value];
    add_load(out, Kind::kOut, host.value, push ? sent : received);
    add_load(in, Kind::kIn, host.value, push ? received : sent);
  }
  out.insert(out.end(), in.begin(), in.end());
  for (const bool sending : {push, !push}) {
    const auto& racks = (sending ? planner.sent_ : planner.received_).racks;
    for (std::uint32_t r = 0; r < racks.size(); ++r) {
      add_load(out, sending == push ? Kind::kRackOut : Kind::kRackIn, r, racks[r]);
    }
  }
  return out;
}

// A lower bound for any plan: a member sends all of its block, and an owner receives all of its
// part.
double SharePlanner::Work::time_min() const {
  double time = 0;
  for (const HostId member : transfer.members) {
    time = std::max(time, time_of(1 - owns(member), sends(port(member))));
  }
  for (const Share& owner : transfer.owners) {
    const double others = members > is_member(owner.host) ? 1 : 0;
    time = std::max(time, time_of(owner.fraction * others, in_rate(port(owner.host))));
  }
  return time;
}

// The closed form in the header. The capacity that owners need to receive their parts is subtracted
// from their capacity to sum for others.
SharePlan SharePlanner::Work::flat() const {
  const double t_min = time_min();
  SharePlan plan{.shape = PlanShape::kFlat};
  for (const HostId host : transfer.aggregators) {
    const double sources = members - is_member(host);
    if (sources == 0) continue;
    double capacity = (in_rate(port(host)) - owns(host) / t_min) / sources;
    if (is_member(host) == 0) capacity = std::min(capacity, sends(port(host)) / copies);
    if (capacity > 0) plan.first.push_back({host, capacity});
  }
  keep_largest(plan.first, planner.options_.aggregators_max);
  const double capacity = sum_of(plan.first);
  if (capacity == 0 || members < 2) return {};
  double owner_capacity = kNever;
  for (const Share& owner : transfer.owners) {
    owner_capacity = std::min(owner_capacity, in_rate(port(owner.host)) / owner.fraction);
  }
  const double t = std::max(t_min, members / (owner_capacity + (members - 1) * capacity));
  plan.direct = std::max(0.0, 1 - t * capacity);
  scale_to(plan.first, 1 - plan.direct);
  for (Share& share : plan.first) {
    share.fraction = std::min(share.fraction, transfer.fraction_max);
  }
  plan.direct = std::max(0.0, 1 - sum_of(plan.first));
  return plan;
}

// Inside a rack the aggregators have the role of the owners: no data are sent directly, and all
// shares are proportional to capacity.
std::optional<SharePlan> SharePlanner::Work::by_rack() const {
  if (racks_with_members < 2) return std::nullopt;
  const auto per_rack = std::max<std::size_t>(
      1, planner.options_.aggregators_max / static_cast<std::size_t>(racks_with_members));
  std::vector<std::vector<Share>> racks(network.racks.size());
  for (const HostId member : transfer.members) {
    // A single member of a rack needs no aggregator.
    const std::uint32_t rack = port(member).rack;
    if (planner.members_.racks[rack] == 1) racks[rack].push_back({member, 1});
  }
  for (const HostId host : transfer.aggregators) {
    const std::uint32_t rack = port(host).rack;
    const double here = planner.members_.racks[rack];
    if (here < 2) continue;
    double capacity = in_rate(port(host)) / (here - is_member(host));
    if (is_member(host) == 0) capacity = std::min(capacity, sends(port(host)));
    if (capacity > 0) racks[rack].push_back({host, capacity});
  }
  SharePlan plan{.shape = PlanShape::kRack, .direct = 0};
  for (std::size_t r = 0; r < racks.size(); ++r) {
    if (planner.members_.racks[r] == 0) continue;
    if (racks[r].empty()) return std::nullopt;
    keep_largest(racks[r], per_rack);
    scale_to(racks[r], 1);
    plan.first.insert(plan.first.end(), racks[r].begin(), racks[r].end());
  }
  return plan;
}

// The second aggregators use the capacity that the first hop leaves free. At the rate of the first
// hop, members have no capacity left for sending, so a lower rate is also tried (`stretch`).
std::optional<SharePlan> SharePlanner::Work::by_rack_twice(SharePlan rack, double stretch) const {
  double t = time_min();
  for (const Share& share : rack.first) {
    const double here = planner.members_.racks[port(share.host).rack];
    t = std::max(
        t, time_of((here - is_member(share.host)) * share.fraction, in_rate(port(share.host))));
  }
  t *= stretch;
  std::vector<double> used(network.ports.size(), 0);
  for (const Share& share : rack.first) {
    const double here = planner.members_.racks[port(share.host).rack];
    used[share.host.value] = (here - is_member(share.host)) * share.fraction / t;
  }
  for (const HostId host : transfer.aggregators) {
    const double left = in_rate(port(host)) - used[host.value] - owns(host) / t;
    const double sending = sends(port(host)) - is_member(host) / t;
    const double capacity = std::min(left / racks_with_members, sending);
    if (capacity > 1e-9 * in_rate(port(host))) rack.second.push_back({host, capacity});
  }
  if (rack.second.empty()) return std::nullopt;
  keep_largest(rack.second, planner.options_.aggregators_max);
  scale_to(rack.second, 1);
  rack.shape = PlanShape::kRackTwice;
  return rack;
}

std::optional<SharePlan> SharePlanner::plan(const Network& network, const GroupTransfer& transfer) {
  Work work(*this, network, transfer);
  SharePlan best;
  best.s_per_byte = work.time_of_plan(best);
  const auto consider = [&](std::optional<SharePlan> plan, double gain_min) {
    if (!plan || largest(plan->first) > transfer.fraction_max ||
        largest(plan->second) > transfer.fraction_max) {
      return;
    }
    plan->s_per_byte = work.time_of_plan(*plan);
    if (plan->s_per_byte * gain_min < best.s_per_byte) best = std::move(*plan);
  };
  if (work.members > 1 && work.time_min() > 0) {
    consider(work.flat(), 1);
    if (!network.racks.empty()) {
      const std::optional<SharePlan> rack = work.by_rack();
      consider(rack, options_.racks_gain_min);
      for (const double stretch : {1.0, 2.0}) {
        if (rack) consider(work.by_rack_twice(*rack, stretch), options_.racks_gain_min);
      }
    }
  }
  if (best.s_per_byte == kNever) return std::nullopt;
  return best;
}

std::vector<Load> SharePlanner::loads(const Network& network, const GroupTransfer& transfer,
                                      const SharePlan& plan) {
  Work work(*this, network, transfer);
  work.load(plan);
  std::vector<Load> loads = work.loads(plan);
  work.unload(plan);
  return loads;
}

}  // namespace surety::fabric
