#include "orchestrator/workforce/staffing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "plan/plan_text.h"

namespace surety::orchestrator {
namespace {

std::uint32_t nodes_of(const NodeTarget& target) {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& count : target.counts) sum += count.count;
  return std::max({1u, target.nodes.value_or(0), target.at_least, sum});
}

// "2 spot + 1 on-demand".
std::string text_of(const std::vector<plan::NodeCount>& counts) {
  std::string text;
  for (const plan::NodeCount& count : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count.count, count.type);
  }
  return text;
}

std::uint32_t count_of(const std::string& type, const std::vector<plan::NodeCount>& counts) {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& count : counts) sum += count.type == type ? count.count : 0;
  return sum;
}

std::string text_of(const NodeTarget& target) {
  return plan::nodes_text(nodes_of(target), target.counts);
}

std::string start_text(const plan::NodeCount& nodes, std::string_view why) {
  return fmt::format("{} of type {} {} started, because {}", counted(nodes.count, "worker"),
                     nodes.type, nodes.count == 1 ? "is" : "are", why);
}

}  // namespace

Staffing::Staffing(const JobConfig& config, Ledger& ledger, NodePool& pool, Places& places,
                   Workforce& workforce, std::function<std::optional<Wanted>()> wanted)
    : config_(config),
      ledger_(ledger),
      pool_(pool),
      places_(places),
      workforce_(workforce),
      wanted_(std::move(wanted)) {}

bool Staffing::adopt(const Started& event) {
  if (!event.remaining.empty() && !event.remaining_find_us) {
    ledger_.log("the workers of the last coordinator do not find this one, so they are ended");
    ledger_.add(EndRemainingWorkers{});
    return false;
  }
  for (const plan::NodeCount& nodes : event.remaining) {
    ledger_.log(fmt::format("{} of coordinator {} {} still running and may call again",
                            counted(nodes.count, nodes.type + " worker"), ledger_.state().term - 1,
                            nodes.count == 1 ? "is" : "are"));
    pool_.on_requested(nodes);
    const job::NodeTypeSpec* type = config_.job.cluster.find(nodes.type);
    const std::uint32_t places = type == nullptr ? 0 : std::min(nodes.count, type->local);
    places_.on_requested({nodes.type, places}, ledger_.now_s());
  }
  return !event.remaining.empty();
}

bool Staffing::may_start(const NodeTarget& target) const {
  return config_.starts_workers && workforce_.may_replace(nodes_of(target));
}

void Staffing::request(const plan::NodeCount& nodes) {
  if (!config_.starts_workers) return;
  pool_.on_requested(nodes);
  places_.on_requested(nodes, ledger_.now_s());
  ledger_.add(StartWorkers{nodes});
}

void Staffing::start(const NodeTarget& target) {
  for (const plan::NodeCount& nodes : starts(target, pool_.change(target))) request(nodes);
}

// Starts the workers that the target lacks, except those whose pause is not over. Without a plan,
// lost workers are also replaced. Vacant places that the target does not need are closed.
std::vector<plan::NodeCount> Staffing::starts(const NodeTarget& target, const NodeChange& change) {
  const double now_s = ledger_.now_s();
  const bool is_planned = !target.counts.empty();
  if (!is_planned && target.nodes) {
    places_.close_vacant(std::nullopt,
                         minus_or_zero(*target.nodes, pool_.size() + pool_.awaited()));
  }
  std::vector<plan::NodeCount> starts;
  for (const job::NodeTypeSpec& type : config_.job.cluster.nodes) {
    const std::uint32_t missing = count_of(type.name, change.started);
    if (is_planned) {
      places_.close_vacant(type.name, missing + count_of(type.name, change.lacking));
    }
    std::uint32_t count = minus_or_zero(missing, places_.paused(type.name, now_s));
    if (!is_planned) {
      count = std::max(count, std::min(places_.due(type.name, now_s), pool_.room(type.name)));
    }
    if (count > 0) starts.push_back({type.name, count});
  }
  return starts;
}

void Staffing::tick() {
  if (places_.has_due(ledger_.now_s())) fit();
}

void Staffing::fit() {
  log_given_up();
  const auto wanted = wanted_();
  if (!wanted) return;
  const NodeTarget& target = wanted->target;
  NodeChange change = pool_.change(target);
  if (may_start(target)) {
    change.started = starts(target, change);
  } else {
    places_.close_vacant(std::nullopt, 0);
    change.lacking.insert(change.lacking.end(), change.started.begin(), change.started.end());
    change.started.clear();
  }
  for (const plan::NodeCount& nodes : change.started) {
    std::string why = "there are fewer workers than cluster.workers_min";
    if (!target.counts.empty()) {
      why = "training continues with " + text_of(target);
    } else if (places_.due(nodes.type, ledger_.now_s()) >= nodes.count) {
      why = nodes.count == 1 ? "it replaces a lost one" : "they replace lost ones";
    }
    ledger_.log(start_text(nodes, why));
    request(nodes);
  }
  for (const WorkerId worker : change.released) {
    const std::string why =
        wanted->why_fewer.value_or("training continues with " + text_of(target));
    ledger_.log(fmt::format("worker {} is released: {}", worker, why));
    workforce_.leave(worker);
  }
  log_lacking(change.lacking);
}

void Staffing::log_given_up() {
  for (const std::string& type : places_.take_given_up()) {
    pool_.give_up(type);
    const std::uint32_t left = pool_.size() + workforce_.awaited();
    ledger_.log(fmt::format(
        "a worker ({}) was lost again after {} restarts without a finished pass, so it is not "
        "started again: continuing with {}; the reasons are in the folder logs/ of the run",
        type, Places::kRestartsMax, left == 0 ? "no worker" : counted(left, "worker")));
  }
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
  if (!wanted || wanted->gathers) return;
  const bool takes_all = wanted->target.counts.empty() && !wanted->target.nodes;
  const std::uint32_t room =
      minus_or_zero(pool_.room(nodes.type), places_.paused(nodes.type, ledger_.now_s()));
  if (!takes_all || room == 0 || !may_start(wanted->target)) return;
  const plan::NodeCount started{nodes.type, room};
  ledger_.log(start_text(
      started, room == 1 ? "a node is available for it" : "nodes are available for them"));
  request(started);
}

void Staffing::on_not_started(const WorkersNotStarted& event) {
  pool_.on_not_started(event.nodes);
  places_.on_not_started(event.nodes);
  ledger_.log(fmt::format("{} {} cannot be started: {}", event.nodes.count, event.nodes.type,
                          event.reason));
}

}  // namespace surety::orchestrator
