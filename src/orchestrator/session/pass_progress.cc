#include "orchestrator/session/pass_progress.h"

#include <utility>

namespace surety::orchestrator {

void PassProgress::begin(double now_s) {
  totals_ = {};
  compute_s_.clear();
  computed_.clear();
  began_s_ = iteration_began_s_ = now_s;
}

void PassProgress::add(const Answers& answers, std::uint32_t workers, double now_s) {
  totals_.iteration_s.push_back(now_s - std::exchange(iteration_began_s_, now_s));
  for (const auto& [worker, answer] : answers) {
    const proto::StepDone& done = answer.step_done();
    totals_.samples += done.samples();
    computed_[worker] += static_cast<double>(done.samples());
    compute_s_[worker] += done.compute_s();
  }
  totals_.workers = workers;
}

PassFinished PassProgress::finish(std::uint32_t present, double now_s) {
  PassFinished done = totals_;
  done.pass = ++passes_;
  done.present = present;
  done.seconds = now_s - began_s_;
  for (const auto& [worker, seconds] : compute_s_) {
    if (seconds > 0 && computed_[worker] > 0)
      done.samples_per_s[worker] = computed_[worker] / seconds;
  }
  return done;
}

}  // namespace surety::orchestrator
