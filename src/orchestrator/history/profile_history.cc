#include "orchestrator/history/profile_history.h"

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace {

void keep_finished(ProfileHistory& runs) {
  const auto move_all = [](auto& to, auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  };
  move_all(runs.finished.curves, runs.unfinished.curves);
  move_all(runs.finished.switches, runs.unfinished.switches);
  move_all(runs.finished.nodes, runs.unfinished.nodes);
}

void add(plan::Profile& profile, const proto::CurvePoint& p) {
  profile.curves.push_back({p.version(), p.seed(), p.data_fraction(), p.pass(), p.metric(),
                            p.metric_se(), p.seconds(), p.eval_seconds(), p.workers()});
}

void add(plan::Profile& profile, const proto::SwitchPoint& p) {
  profile.switches.push_back({p.from(), p.to(), p.seed(), p.pass(), p.metric_before(),
                              p.metric_after(), p.seconds(), p.passes_after()});
}

// The first pass begins, because its untrained model was evaluated.
void note_first_pass(ProfileHistory& runs, double now_s) {
  if (!runs.first_join_s) return;
  for (plan::StartTime& start : runs.finished.starts) {
    if (start.paid_seconds == 0) start.paid_seconds = now_s - *runs.first_join_s;
  }
}

}  // namespace

void note_start(ProfileHistory& runs, double now_s, std::size_t workers) {
  std::vector<plan::StartTime>& starts = runs.finished.starts;
  if (starts.empty()) starts.push_back({now_s, static_cast<std::uint32_t>(workers)});
}

void add_measurement(ProfileHistory& runs, const proto::JournalRecord& record, double now_s) {
  if (record.has_curve_point()) {
    if (record.curve_point().pass() == 0) note_first_pass(runs, now_s);
    add(runs.unfinished, record.curve_point());
  }
  if (record.has_switch_point()) add(runs.unfinished, record.switch_point());
  if (record.has_node_speed()) {
    const proto::NodeSpeed& p = record.node_speed();
    runs.unfinished.nodes.push_back({p.worker(), p.type(), p.version(), p.samples_per_s()});
  }
  if (record.has_link_rate()) {
    const proto::LinkRate& p = record.link_rate();
    runs.finished.links.push_back({p.from(), p.to(), p.bytes_per_s()});
  }
  if (record.has_profile_run_done()) {
    runs.done.insert(record.profile_run_done().index());
    keep_finished(runs);
  }
}

}  // namespace surety::orchestrator
