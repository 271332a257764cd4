#include "orchestrator/job/staffing.h"

#include <algorithm>
#include <utility>

#include "plan/plan_text.h"

namespace surety::orchestrator {
namespace {

std::uint32_t nodes_of(const NodeTarget& target) {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& count : target.counts) sum += count.count;
  return std::max({1u, target.nodes, target.at_least, sum});
}

// "2 spot + 1 on-demand".
std::string text_of(const std::vector<plan::NodeCount>& counts) {
  std::string text;
  for (const plan::NodeCount& count : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count.count, count.type);
  }
  return text;
}

std::string text_of(const NodeTarget& target) {
  return plan::nodes_text(nodes_of(target), target.counts);
}

}  // namespace

Staffing::Staffing(const JobConfig& config, Ledger& ledger, NodePool& pool, Workforce& workforce,
                   std::function<std::optional<Wanted>()> wanted)
    : config_(config),
      ledger_(ledger),
      pool_(pool),
      workforce_(workforce),
      wanted_(std::move(wanted)) {}

bool Staffing::may_start() const {
  const auto wanted = wanted_();
  return wanted && may_start(wanted->target);
}

bool Staffing::may_start(const NodeTarget& target) const {
  return config_.starts_workers && workforce_.may_replace(nodes_of(target));
}

void Staffing::request(const plan::NodeCount& nodes) {
  if (!config_.starts_workers) return;
  pool_.on_requested(nodes);
  ledger_.add(StartWorkers{nodes});
}

void Staffing::start(const NodeTarget& target) {
  for (const plan::NodeCount& nodes : pool_.change(target).started) request(nodes);
}

// While the first workers are gathered none is replaced, because missing ones are not waited for.
void Staffing::fit() {
  const auto wanted = wanted_();
  if (!wanted) return;
  const NodeTarget& target = wanted->target;
  NodeChange change = pool_.change(target);
  if (!may_start(target)) {
    change.lacking.insert(change.lacking.end(), change.started.begin(), change.started.end());
    change.started.clear();
  }
  for (const plan::NodeCount& nodes : change.started) {
    const std::string why = target.counts.empty()
                                ? "there are fewer workers than cluster.workers_min"
                                : "training continues with " + text_of(target);
    ledger_.log(fmt::format("starting {} {}: {}", nodes.count, nodes.type, why));
    request(nodes);
  }
  for (const WorkerId worker : change.released) {
    const std::string why = wanted->why_fewer.empty() ? "training continues with " + text_of(target)
                                                      : wanted->why_fewer;
    ledger_.log(fmt::format("worker {} is released: {}", worker, why));
    workforce_.leave(worker);
  }
  log_lacking(change.lacking);
}

void Staffing::log_lacking(const std::vector<plan::NodeCount>& lacking) {
  if (std::exchange(lacking_, lacking) == lacking || lacking.empty()) return;
  const auto there = pool_.counts();
  ledger_.log(fmt::format("cannot start {} here: training continues with {}", text_of(lacking),
                          there.empty() ? "no worker" : text_of(there)));
}

void Staffing::set_available(const plan::NodeCount& nodes) {
  pool_.set_available(nodes);
  lacking_.clear();
  const auto wanted = wanted_();
  if (!wanted) return;
  const bool takes_all = wanted->target.counts.empty() && wanted->target.nodes == 0;
  const std::uint32_t room = pool_.room(nodes.type);
  if (!takes_all || room == 0 || !may_start(wanted->target)) return;
  ledger_.log(fmt::format("starting {} {}: nodes are available for them", room, nodes.type));
  request({nodes.type, room});
}

void Staffing::on_not_started(const WorkersNotStarted& event) {
  pool_.on_not_started(event.nodes);
  ledger_.log(fmt::format("{} {} cannot be started: {}", event.nodes.count, event.nodes.type,
                          event.reason));
}

}  // namespace surety::orchestrator
