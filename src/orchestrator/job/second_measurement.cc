#include "orchestrator/job/second_measurement.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/text.h"
#include "base/words.h"
#include "orchestrator/workforce/workforce.h"

namespace surety::orchestrator {
namespace {

// The measurement may take this time, or this share of the time of the run, or as long as reading
// the data so many times, whichever is longest. It reads them two or three times.
constexpr double kLimitS = 60;
constexpr double kLimitShare = 0.1;
constexpr double kLimitReadings = 10;
// Within this time, workers that wait for the next coordinator call it.
constexpr double kCallsS = 3;

proto::MeasuredAgain not_measured(const std::string& reason) {
  proto::MeasuredAgain outcome;
  outcome.set_not_measured(plain_text(reason, kMessageBytesMax));
  return outcome;
}

// Why the measurement has no result, if the event states this.
std::optional<Error> failure_in(const Event& event) {
  const auto* done = std::get_if<MeasuredAgain>(&event);
  if (done == nullptr || done->values) return std::nullopt;
  return done->values.error();
}

}  // namespace

SecondMeasurement::SecondMeasurement(Ledger& ledger, double reading_s)
    : ledger_(ledger),
      limit_s_(second_measurement_limit_s(ledger.state().record, reading_s)),
      began_s_(ledger.now_s()),
      earliest_end_s_(began_s_ + (ledger.state().workers.joined_by_itself_away > 0 ? kCallsS : 0)) {
  ledger_.log("the workers are dismissed, and a new process measures the final model again");
  ledger_.add(MeasureAgain{});
}

void SecondMeasurement::leave_out(Ledger& ledger) {
  proto::JournalRecord record;
  *record.mutable_measured_again() = not_measured("trust.measure_again is off");
  ledger.append(std::move(record));
}

PhaseChange SecondMeasurement::step(const Event& event) {
  if (const auto* late = std::get_if<WorkerHello>(&event)) dismiss(*late);
  const certificate::RunRecord& run = ledger_.state().record;
  const std::optional<Error> why = failure_in(event);
  // Files of the certified checkpoint are missing or damaged.
  if (why && why->code == ErrorCode::kCorrupt) {
    // The workers are gone, so the next coordinator certifies the next best one, or trains on. The
    // record clears run.certified. The files stay until the end of the run.
    proto::JournalRecord record;
    record.mutable_checkpoint_dropped()->set_folder(run.certified->checkpoint);
    record.mutable_checkpoint_dropped()->set_reason(why->message);
    ledger_.append(std::move(record));
    return Finish{Ending::kInterrupted,
                  fmt::format("the certified model cannot be read any more: {}", why->message)};
  }
  if (why && !outcome_ && !is_second_try_) {
    // The process may have been killed by chance, for example because memory was short.
    is_second_try_ = true;
    ledger_.log(
        fmt::format("the second measurement failed and is tried once more: {}", why->message));
    ledger_.add(MeasureAgain{});
    return Stay{};
  }
  if (!outcome_) {
    outcome_ = outcome_of(event, ledger_.now_s() - began_s_, limit_s_);
  }
  if (!outcome_ || ledger_.now_s() < earliest_end_s_) return Stay{};
  proto::JournalRecord record;
  *record.mutable_measured_again() = *outcome_;
  ledger_.append(std::move(record));
  ledger_.log(outcome_words(*run.certified));
  return EndRun{run.stop_reason};
}

Waiting SecondMeasurement::waits_for() const {
  return {"a new process measures the final model again", began_s_};
}

// The worker is not recorded, because it takes no part in the run.
void SecondMeasurement::dismiss(const WorkerHello& late) {
  const WorkerId worker{ledger_.state().workers.last_id + ++called_late_};
  ledger_.add(Admit{late.connection, worker});
  ledger_.add(Send{bye_to(worker, ledger_.state().record.stop_reason)});
}

double second_measurement_limit_s(const certificate::RunRecord& record, double reading_s) {
  return std::max({kLimitS, kLimitShare * record.run_seconds, kLimitReadings * reading_s});
}

std::optional<proto::MeasuredAgain> outcome_of(const Event& event, double waited_s,
                                               double limit_s) {
  if (const auto* done = std::get_if<MeasuredAgain>(&event)) {
    if (!done->values) return not_measured(done->values.error().message);
    proto::MeasuredAgain outcome;
    outcome.mutable_values()->set_metric(done->values->metric);
    outcome.mutable_values()->set_metric_se(done->values->metric_se);
    outcome.mutable_values()->set_samples(done->values->samples);
    if (done->values->objective) outcome.mutable_values()->set_objective(*done->values->objective);
    return outcome;
  }
  if (!std::holds_alternative<Tick>(event) || waited_s <= limit_s) return std::nullopt;
  return not_measured(fmt::format("the measurement took more than {}", time_words(limit_s)));
}

std::string outcome_words(const certificate::Certified& certified) {
  if (!certified.again) {
    return fmt::format("the final model was not measured again: {}", *certified.not_again);
  }
  const auto words = [](const certificate::MetricValues& values) {
    const std::string value =
        std::isfinite(values.metric) ? short_number(values.metric) : std::string("no finite value");
    return fmt::format("{} on {}", value, counted(values.samples, "sample"));
  };
  if (!certified.contradicted) {
    return fmt::format("a new process measured the final model again: {}", words(*certified.again));
  }
  return fmt::format(
      "warning: a new process measured the final model again and found {}{}, but the workers had "
      "reported {}. The value of the new process counts",
      words(*certified.again),
      std::isfinite(certified.again->metric) ? "" : " (the reason is in logs/measured-again)",
      words(*certified.contradicted));
}

}  // namespace surety::orchestrator
