#include "sim/world/rounds.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"
#include "fabric/allreduce/reduce.h"

namespace surety::sim {
namespace {

using Values = std::map<WorkerId, std::vector<float>>;

// Adds up in the order of the members.
std::vector<float> sum_of(const worker::Round& round, const worker::RoundSum& how,
                          const Values& values) {
  SURETY_CHECK(how.weights.size() == round.members.size());
  std::vector<float> sum(values.begin()->second.size(), 0.0f);
  for (std::size_t i = 0; i < round.members.size(); ++i) {
    fabric::add_scaled(sum, values.at(round.members[i]), how.weights[i]);
  }
  return sum;
}

std::vector<float> result_of(const worker::Round& round, const Values& values) {
  return std::visit(
      Overloaded{[&](const worker::RoundSum& how) { return sum_of(round, how, values); },
                 [&](const worker::RoundCopy& how) { return values.at(how.holders.front()); }},
      round.kind);
}

}  // namespace

std::vector<WorkerId> Rounds::everybody(const worker::Round& round) {
  std::vector<WorkerId> all;
  if (const auto* copy = std::get_if<worker::RoundCopy>(&round.kind)) all = copy->holders;
  all.insert(all.end(), round.members.begin(), round.members.end());
  return all;
}

void Rounds::join(worker::Round round, double bytes, WorkerId worker, std::vector<float> values) {
  const std::uint64_t sequence = round.sequence;
  State& state = rounds_[sequence];
  state.round = std::move(round);
  state.bytes = bytes;
  state.values[worker] = std::move(values);
  const std::vector<WorkerId> all = everybody(state.round);
  for (const WorkerId other : all) {
    const Member member = world_.member(other);
    if (!member.is_gone) continue;
    const double after_s =
        member.is_silent ? network_.options().silence_s : network_.options().latency_s;
    return break_for_all(sequence, other, after_s);
  }
  if (loses_next_.erase(worker) > 0 && all.size() > 1) state.lost.insert(worker);
  if (state.values.size() == all.size() && state.lost.empty()) flow(sequence, state);
}

std::vector<WorkerId> Rounds::ask(std::uint64_t sequence, WorkerId worker) {
  const auto it = rounds_.find(sequence);
  if (it == rounds_.end() || it->second.bulk || !it->second.values.contains(worker)) return {};
  std::vector<WorkerId> missing;
  for (const WorkerId other : everybody(it->second.round)) {
    const bool is_lost = it->second.lost.contains(other);
    if (other == worker || (it->second.values.contains(other) && !is_lost)) continue;
    missing.push_back(other);
    if (!is_lost) continue;
    queue_.after(network_.options().latency_s, [this, sequence, worker, other] {
      const auto still = rounds_.find(sequence);
      if (still == rounds_.end() || still->second.values.erase(worker) == 0) return;
      world_.broken(worker, sequence, other);
    });
  }
  return missing;
}

void Rounds::lose_values(WorkerId worker) {
  for (auto& [sequence, state] : rounds_) {
    if (state.bulk || !state.values.contains(worker)) continue;
    state.lost.insert(worker);
    return;
  }
  loses_next_.insert(worker);
}

void Rounds::flow(std::uint64_t sequence, State& state) {
  const worker::Round& round = state.round;
  const std::vector<WorkerId> all = everybody(round);
  if (all.size() == 1) {
    queue_.after(0, [this, sequence] { done(sequence, true); });
    return;
  }
  const auto host_of = [this](WorkerId worker) { return world_.member(worker).host; };
  Bulk bulk;
  bulk.bytes = state.bytes;
  const auto* copy = std::get_if<worker::RoundCopy>(&round.kind);
  if (copy == nullptr) {
    // Two halves. In each of them (K-1)/K of the vector leaves and enters every port.
    const auto members = static_cast<double>(round.members.size());
    bulk.sent_per_byte = bulk.received_per_byte = 2 * (members - 1) / members;
    for (const WorkerId worker : round.members) bulk.senders.push_back(host_of(worker));
    bulk.receivers = bulk.senders;
  } else {
    bulk.sent_per_byte =
        static_cast<double>(round.members.size()) / static_cast<double>(copy->holders.size());
    for (const WorkerId worker : copy->holders) bulk.senders.push_back(host_of(worker));
    for (const WorkerId worker : round.members) bulk.receivers.push_back(host_of(worker));
  }
  state.bulk = network_.start(bulk, [this, sequence](bool arrived) { done(sequence, arrived); });
}

void Rounds::done(std::uint64_t sequence, bool arrived) {
  const auto it = rounds_.find(sequence);
  if (it == rounds_.end() || it->second.values.size() != everybody(it->second.round).size()) return;
  const State state = std::move(it->second);
  rounds_.erase(it);
  if (!arrived) {
    // Each member names a member as lost, which need not be the right one: the coordinator decides
    // by itself which worker is lost.
    for (const auto& [worker, values] : state.values) {
      const WorkerId other = worker == everybody(state.round).front()
                                 ? everybody(state.round).back()
                                 : everybody(state.round).front();
      world_.broken(worker, sequence, other);
    }
    return;
  }
  const std::vector<float> result = result_of(state.round, state.values);
  for (const auto& [worker, values] : state.values) world_.finished(worker, sequence, result);
}

void Rounds::leave(std::uint64_t sequence, WorkerId worker) {
  const auto it = rounds_.find(sequence);
  if (it == rounds_.end()) return;
  if (it->second.bulk) network_.stop(*it->second.bulk);
  it->second.bulk.reset();
  it->second.values.erase(worker);
  it->second.lost.erase(worker);
  if (it->second.values.empty()) rounds_.erase(it);
}

void Rounds::gone(WorkerId worker) {
  const Member member = world_.member(worker);
  const double after_s =
      member.is_silent ? network_.options().silence_s : network_.options().latency_s;
  for (auto& [sequence, state] : rounds_) {
    const std::vector<WorkerId> all = everybody(state.round);
    if (std::find(all.begin(), all.end(), worker) == all.end()) continue;
    if (state.bulk) network_.stop(*state.bulk);
    state.bulk.reset();
    state.values.erase(worker);
    break_for_all(sequence, worker, after_s);
  }
}

void Rounds::break_link(WorkerId a, WorkerId b) {
  for (auto& [sequence, state] : rounds_) {
    if (!state.bulk || !state.values.contains(a) || !state.values.contains(b)) continue;
    network_.stop(*state.bulk);
    state.bulk.reset();
    break_for_all(sequence, a, network_.options().latency_s);
  }
}

void Rounds::break_for_all(std::uint64_t sequence, WorkerId peer, double after_s) {
  queue_.after(after_s, [this, sequence, peer] {
    const auto it = rounds_.find(sequence);
    if (it == rounds_.end()) return;
    const State state = std::move(it->second);
    rounds_.erase(it);
    for (const auto& [worker, values] : state.values) {
      if (worker != peer) world_.broken(worker, sequence, peer);
    }
  });
}

}  // namespace surety::sim
