#include "orchestrator/session/barrier.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/words.h"

namespace surety::orchestrator {
namespace {

// Seconds that a barrier waits after a broken link before everything is sent again, so that a crash
// that broke the link is noticed first.
constexpr double kRetryAfterS = 0.5;

// A worker hangs if it takes this long after the others, and this many times as long as they did.
// A slow worker, or one behind a slow link, needs less.
constexpr double kHungS = 300;
// The same for commands that give workers different amounts of work, such as loading samples.
constexpr double kHungUnevenS = 1800;
constexpr double kHungTimes = 20;
// Calls of hung() are closer than this, unless the coordinator was stopped. Answers may then have
// arrived that it has not read.
constexpr double kCallsApartS = 5;

// If a worker has not reported for this long, it does not wait any more, or hangs.
constexpr double kReportLastsS = 10;

// Whether all workers have about the same amount of work.
bool is_even(BarrierKind kind) {
  return kind == BarrierKind::kStep || kind == BarrierKind::kResum ||
         kind == BarrierKind::kEvaluate;
}

// The work that one or several workers have done when they have answered.
std::string_view done_words(BarrierKind kind, bool is_one) {
  switch (kind) {
    case BarrierKind::kPrepare:
      return is_one ? "received its samples and the model" : "received their samples and the model";
    case BarrierKind::kEvaluate:
      return "evaluated the model";
    case BarrierKind::kSave:
      return "written the checkpoint";
    case BarrierKind::kSwitch:
      return "changed the version of the model";
    case BarrierKind::kProbe:
      return "measured the network";
    case BarrierKind::kStep:
    case BarrierKind::kResum:
      break;
  }
  return "computed the iteration";
}

}  // namespace

proto::FromWorker::MessageCase answer_to(BarrierKind kind) {
  switch (kind) {
    case BarrierKind::kPrepare:
      return proto::FromWorker::kPrepared;
    case BarrierKind::kStep:
    case BarrierKind::kResum:
      return proto::FromWorker::kStepDone;
    case BarrierKind::kEvaluate:
      return proto::FromWorker::kEvaluated;
    case BarrierKind::kSwitch:
      return proto::FromWorker::kSwitched;
    case BarrierKind::kSave:
      return proto::FromWorker::kSaved;
    case BarrierKind::kProbe:
      return proto::FromWorker::kProbed;
  }
  return proto::FromWorker::MESSAGE_NOT_SET;
}

Barrier::Barrier(BarrierKind kind, std::uint64_t sequence, const std::vector<WorkerId>& asked,
                 double now_s)
    : kind_(kind),
      sequence_(sequence),
      began_s_(now_s),
      awaited_(asked.begin(), asked.end()),
      ticked_s_(now_s) {
  SURETY_CHECK(!asked.empty());
}

bool Barrier::expects(WorkerId from, const proto::FromWorker& answer) const {
  return answer.sequence() == sequence_ && awaits(from);
}

void Barrier::take(WorkerId from, const proto::FromWorker& answer) {
  SURETY_CHECK(expects(from, answer));
  awaited_.erase(from);
  answers_[from] = answer;
  changed_s_ = waited_s_;
}

bool Barrier::is_waiting(WorkerId worker) const {
  const auto report = reports_.find(worker);
  return report != reports_.end() && waited_s_ - report->second.waited_s < kReportLastsS;
}

void Barrier::note_waiting(WorkerId from, const proto::WaitingFor& others) {
  SURETY_CHECK(awaits(from));
  if (!is_waiting(from)) changed_s_ = waited_s_;
  Report& report = reports_[from];
  report = {.waits_for = {}, .waited_s = waited_s_};
  for (const std::uint32_t other : others.for_workers()) {
    if (const WorkerId worker{other}; worker != from && awaits(worker)) {
      report.waits_for.insert(worker);
    }
  }
}

std::vector<WorkerId> Barrier::slowest() const {
  std::set<WorkerId> slowest;
  for (const auto& [worker, report] : reports_) {
    for (const WorkerId other : report.waits_for) {
      if (awaits(worker) && is_waiting(worker) && awaits(other) && !is_waiting(other)) {
        slowest.insert(other);
      }
    }
  }
  return {slowest.begin(), slowest.end()};
}

bool Barrier::retry_later(double now_s) {
  return !std::exchange(retry_s_, now_s + kRetryAfterS).has_value();
}

std::vector<WorkerId> Barrier::hung(double now_s, std::optional<double> patience_s) {
  waited_s_ += std::min(now_s - std::exchange(ticked_s_, now_s), kCallsApartS);
  const double least_s = is_even(kind_) ? kHungS : kHungUnevenS;
  if (waited_s_ - changed_s_ < patience_s.value_or(std::max(least_s, kHungTimes * changed_s_))) {
    return {};
  }
  std::vector<WorkerId> hung;
  for (const WorkerId worker : awaited_) {
    if (!is_waiting(worker)) hung.push_back(worker);
  }
  return hung.size() * 2 <= answers_.size() + awaited_.size() ? hung : std::vector<WorkerId>{};
}

std::string Barrier::delay_of_hung() const {
  return fmt::format("has not {} within {:.0f} s of the others", done_words(kind_, true),
                     waited_s_ - changed_s_);
}

Waiting Barrier::progress() const {
  const std::size_t asked = answers_.size() + awaited_.size();
  return {fmt::format("{} of {} {} {}", answers_.size(), counted(asked, "worker"),
                      asked == 1 ? "has" : "have", done_words(kind_, asked == 1)),
          began_s_};
}

}  // namespace surety::orchestrator
