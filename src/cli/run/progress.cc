#include "cli/run/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/units.h"
#include "base/words.h"
#include "cli/output.h"
#include "orchestrator/history/attempt_number.h"
#include "plan/words.h"

namespace surety::cli {
namespace {

using namespace certificate;
using namespace orchestrator;

constexpr double kRedrawS = 0.2;
// Without a terminal, a line is printed at least this often while the run waits for something.
constexpr double kSilenceS = 4.5;

const char* metric_word(plan::Metric metric) {
  switch (metric) {
    case plan::Metric::kAccuracy:
      return "accuracy";
    case plan::Metric::kDualityGap:
      return "gap";
    case plan::Metric::kValidationLoss:
      break;
  }
  return "loss";
}

// The range in which the plan expects the metric by now.
std::string band_text(const RunRecord& record, double seconds) {
  if (!record.plan || !record.plan->claims || record.plan->claims->bands.empty()) return "";
  const auto& bands = record.plan->claims->bands;
  const auto next = std::find_if(bands.begin(), bands.end(),
                                 [&](const plan::Band& band) { return band.seconds >= seconds; });
  const plan::Band& band = next == bands.end() ? bands.back() : *next;
  const auto [low, high] = std::minmax({plan::shown_metric(record.promise.metric, band.q05),
                                        plan::shown_metric(record.promise.metric, band.q95)});
  return fmt::format(" (planned {:.3g} to {:.3g})", low, high);
}

// States what the run waits for, for example "2 of 4 workers have joined (waiting for 10s)". Empty
// if it waits for nothing.
std::string waiting_line(const JobView& view, double now_s) {
  if (!view.waits_for) return "";
  const double for_s = std::max(0.0, now_s - view.waits_for->since_s);
  std::string text = view.attempt ? fmt::format("attempt {}: ", *view.attempt) : "";
  text += view.waits_for->what;
  if (for_s < 1) return text;
  return fmt::format("{} (waiting for {})", text,
                     format_duration(std::chrono::seconds(static_cast<long>(for_s))));
}

}  // namespace

std::string live_line(const JobView& view, const RunState& state, double now_s) {
  const RunRecord& record = state.record;
  std::string text = fmt::format("{:<8}", name_of(view.phase));
  if (view.phase == RunPhase::kProfile) {
    text += fmt::format("run {} of {}  {}  pass {}",
                        std::min(view.profile_runs_done + 1, view.profile_runs), view.profile_runs,
                        view.version, view.pass + 1);
  } else if (view.phase == RunPhase::kTrain) {
    if (view.attempt) text += fmt::format("attempt {}  ", *view.attempt);
    text += fmt::format("pass {} {:>3.0f}%  {}", view.pass + 1, 100 * view.pass_done, view.version);
    if (view.metric) {
      text += fmt::format(
          "  {} {:.4g}{} -> {:.4g}", metric_word(record.promise.metric), *view.metric,
          band_text(record, now_s - state.training_start_s.value_or(0)), record.promise.target);
    }
    if (view.forecast) text += fmt::format("  {}", *view.forecast);
  }
  if (view.phase == RunPhase::kGather) {
    text += waiting_line(view, now_s);
  } else {
    text += fmt::format("  {}  cost {:.4g}", counted(view.workers, "worker"), view.cost);
  }
  const double left = record.deadline_s - now_s;
  text += left > 0 ? fmt::format("  {} left",
                                 format_duration(std::chrono::seconds(static_cast<long>(left))))
                   : std::string("  deadline passed");
  return text;
}

std::string pass_line(const Measurement& m, const RunState& state) {
  const RunRecord& record = state.record;
  std::string text = fmt::format("pass {:>3}  {:<10} ", m.pass, m.version);
  if (m.attempt) text = fmt::format("attempt {}  {}", *m.attempt, text);
  const auto pass = std::find_if(state.passes.rbegin(), state.passes.rend(), [&](const auto& one) {
    return one.done.pass() == m.pass && orchestrator::attempt_of(one.done) == m.attempt;
  });
  const bool known = pass != state.passes.rend();
  if (record.promise.metric == plan::Metric::kDualityGap) {
    if (known && pass->done.has_objective())
      text += fmt::format("objective {:.6g}  ", pass->done.objective());
    text += fmt::format("gap {:.3g}{}", m.metric, band_text(record, m.seconds));
    if (known && pass->done.has_accuracy()) {
      text += fmt::format("  accuracy {:.4f}", pass->done.accuracy());
    }
  } else {
    text += fmt::format("{} {:.4f} ± {:.4f}{}", metric_word(record.promise.metric), m.metric,
                        2 * m.metric_se, band_text(record, m.seconds));
  }
  if (known) text += fmt::format("  {:.3g}s", pass->done.seconds());
  return text + fmt::format("  {}  cost {:.4g}", counted(m.workers, "worker"), m.cost);
}

void Progress::clear() {
  if (line_drawn_) std::fputs("\r\033[K", stderr);
  line_drawn_ = false;
}

Progress::Progress(Options options) : options_(std::move(options)) {
  if (options_.log) log_.open(*options_.log, std::ios::app);
}

void Progress::line(double now_s, const std::string& text, bool detail) {
  if (log_.is_open()) log_ << fmt::format("{:>7.1f}s  {}\n", now_s, text) << std::flush;
  if (options_.quiet || (detail && !options_.verbose)) return;
  last_line_s_ = now_s;
  clear();
  print_message(fmt::format("{:>7.1f}s  {}\n", now_s, text));
}

// These lines are only for a person who watches the terminal. The log file contains only events.
void Progress::print_waiting(const JobMachine& machine, double now_s) {
  if (options_.quiet || now_s - last_line_s_ < kSilenceS) return;
  const std::string waits = waiting_line(machine.view(), now_s);
  if (waits.empty()) return;
  last_line_s_ = now_s;
  print_message(fmt::format("{:>7.1f}s  {}\n", now_s, waits));
}

void Progress::resume_after(const RunState& state) {
  const auto& events = state.record.timeline;
  while (events_ < events.size() && events[events_].seconds < state.time_s) ++events_;
  measurements_ = state.record.measurements.size();
  curves_ = state.profile_runs.done.size();
}

void Progress::print_new_entries(const RunState& state) {
  const RunRecord& record = state.record;
  const auto& events = record.timeline;
  const auto& measured = record.measurements;
  const double train_s = state.training_start_s.value_or(0);
  while (events_ < events.size() || measurements_ < measured.size()) {
    // Decisions follow from a pass, and have its time.
    constexpr double kRounding = 1e-6;
    const bool event_is_next =
        measurements_ == measured.size() ||
        (events_ < events.size() &&
         events[events_].seconds < train_s + measured[measurements_].seconds - kRounding);
    if (event_is_next) {
      const TimelineEvent& event = events[events_++];
      line(event.seconds,
           event.kind == EventKind::kPhase ? fmt::format("-- {} --", event.text) : event.text);
    } else {
      const Measurement& m = measured[measurements_++];
      line(train_s + m.seconds, pass_line(m, state));
    }
  }
}

void Progress::update(const JobMachine& machine, double now_s) {
  const RunState& state = machine.state();
  // The last profile run ends before the next phase begins.
  if (!options_.terminal && state.profile_runs.done.size() > curves_) {
    curves_ = state.profile_runs.done.size();
    const JobView view = machine.view();
    line(now_s, fmt::format("profile run {} of {} done", curves_,
                            curves_ + view.profile_runs - view.profile_runs_done));
  }
  print_new_entries(state);
  if (!options_.terminal) print_waiting(machine, now_s);
  if (options_.quiet || !options_.terminal) return;
  if (drawn_s_ && now_s - *drawn_s_ < kRedrawS) return;
  drawn_s_ = now_s;
  print_message("\r\033[K" + live_line(machine.view(), state, now_s));
  std::fflush(stderr);
  line_drawn_ = true;
}

}  // namespace surety::cli
