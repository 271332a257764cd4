#include "orchestrator/workforce/node_pool.h"

#include <algorithm>

#include "base/check.h"

namespace surety::orchestrator {
namespace {

std::uint32_t target_count(const NodeTarget& node_target, const std::string& type) {
  for (const plan::NodeCount& count : node_target.counts) {
    if (count.type == type) return count.count;
  }
  return 0;
}

std::uint32_t total(const std::vector<plan::NodeCount>& counts) {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& count : counts) sum += count.count;
  return sum;
}

void add(std::vector<plan::NodeCount>& counts, const std::string& type, std::uint32_t count) {
  if (count == 0) return;
  for (plan::NodeCount& there : counts) {
    if (there.type != type) continue;
    there.count += count;
    return;
  }
  counts.push_back({type, count});
}

}  // namespace

NodePool::NodePool(std::vector<job::NodeTypeSpec> types) : types_(std::move(types)) {
  SURETY_CHECK(!types_.empty());
}

void NodePool::on_requested(const plan::NodeCount& nodes) { awaited_[nodes.type] += nodes.count; }

void NodePool::on_joined(WorkerId worker, const std::string& type, bool joined_by_itself) {
  staying_[worker] = {type, joined_by_itself};
  if (!joined_by_itself) on_ended(type);
}

void NodePool::on_ended(const std::string& type) {
  awaited_[type] = minus_or_zero(awaited_[type], 1);
}

void NodePool::on_not_started(const plan::NodeCount& nodes) {
  awaited_[nodes.type] = minus_or_zero(awaited_[nodes.type], nodes.count);
  unavailable_.insert(nodes.type);
}

void NodePool::set_available(const plan::NodeCount& nodes) {
  unavailable_.erase(nodes.type);
  for (job::NodeTypeSpec& type : types_) {
    if (type.name == nodes.type) type.local = nodes.count;
  }
}

void NodePool::give_up(const std::string& type) {
  for (job::NodeTypeSpec& spec : types_) {
    if (spec.name == type) spec.local = minus_or_zero(spec.local, 1);
  }
}

void NodePool::on_left(WorkerId worker) { staying_.erase(worker); }

std::uint32_t NodePool::count(const std::string& type) const {
  return static_cast<std::uint32_t>(
      std::count_if(staying_.begin(), staying_.end(),
                    [&](const auto& entry) { return entry.second.type == type; }));
}

std::uint32_t NodePool::awaited() const {
  std::uint32_t sum = 0;
  for (const auto& [type, count] : awaited_) sum += count;
  return sum;
}

std::vector<plan::NodeCount> NodePool::counts() const {
  std::vector<plan::NodeCount> result;
  for (const job::NodeTypeSpec& type : types_) add(result, type.name, count(type.name));
  return result;
}

std::uint32_t NodePool::room(const job::NodeTypeSpec& type) const {
  if (unavailable_.contains(type.name)) return 0;
  std::uint32_t running = 0;
  for (const auto& [worker, node] : staying_)
    running += !node.joined_by_itself && node.type == type.name;
  const auto awaited = awaited_.find(type.name);
  if (awaited != awaited_.end()) running += awaited->second;
  return minus_or_zero(type.local, running);
}

std::uint32_t NodePool::room(const std::string& type) const {
  for (const job::NodeTypeSpec& spec : types_) {
    if (spec.name == type) return room(spec);
  }
  return 0;
}

NodeChange NodePool::change(const NodeTarget& node_target) const {
  NodeChange change;
  change.released = released(node_target);
  for (const job::NodeTypeSpec& type : types_) {
    const auto awaited = awaited_.find(type.name);
    const std::uint32_t coming = awaited == awaited_.end() ? 0 : awaited->second;
    const std::uint32_t missing =
        minus_or_zero(target_count(node_target, type.name), count(type.name) + coming);
    const std::uint32_t starts = std::min(missing, room(type));
    add(change.started, type.name, starts);
    add(change.lacking, type.name, missing - starts);
  }
  const std::uint32_t counted = node_target.only_first ? count(types_.front().name) : size();
  start_at_least(node_target,
                 minus_or_zero(counted, static_cast<std::uint32_t>(change.released.size())),
                 change);
  return change;
}

// Workers that the target does not need: those beyond the count of their type, or, without counts,
// those beyond the number. Of these, as many as wanted nodes are still missing stay as substitutes.
std::vector<WorkerId> NodePool::released(const NodeTarget& node_target) const {
  const std::optional<std::uint32_t> wanted =
      node_target.counts.empty() ? node_target.nodes : total(node_target.counts);
  if (wanted.value_or(0) == 0 || node_target.only_first) return {};
  const std::uint32_t kept = std::max(*wanted, node_target.at_least);
  struct Surplus {
    double price_per_s = 0;
    WorkerId worker;
  };
  std::vector<Surplus> surplus;
  std::map<std::string, std::uint32_t> seen;
  for (const auto& [worker, node] : staying_) {  // The oldest keep their places.
    const bool has_place =
        !node_target.counts.empty() && ++seen[node.type] <= target_count(node_target, node.type);
    if (has_place) continue;
    const auto type =
        std::find_if(types_.begin(), types_.end(),
                     [&type = node.type](const job::NodeTypeSpec& t) { return t.name == type; });
    surplus.push_back({node_target.counts.empty() ? 0 : type->price_per_s, worker});
  }
  std::sort(surplus.begin(), surplus.end(), [](const Surplus& a, const Surplus& b) {
    return a.price_per_s != b.price_per_s ? a.price_per_s > b.price_per_s : b.worker < a.worker;
  });
  surplus.resize(std::min<std::size_t>(surplus.size(), minus_or_zero(size(), kept)));
  std::vector<WorkerId> result;
  for (const Surplus& one : surplus) result.push_back(one.worker);
  return result;
}

void NodePool::start_at_least(const NodeTarget& node_target, std::uint32_t staying,
                              NodeChange& change) const {
  std::uint32_t coming = awaited() + total(change.started);
  for (const job::NodeTypeSpec& type : types_) {
    const std::uint32_t missing = minus_or_zero(node_target.at_least, staying + coming);
    const auto begun = std::find_if(change.started.begin(), change.started.end(),
                                    [&](const auto& count) { return count.type == type.name; });
    const std::uint32_t taken = begun == change.started.end() ? 0 : begun->count;
    const std::uint32_t starts = std::min(missing, minus_or_zero(room(type), taken));
    add(change.started, type.name, starts);
    coming += starts;
    if (node_target.only_first) return;
  }
}

}  // namespace surety::orchestrator
