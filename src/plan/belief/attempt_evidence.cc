#include "plan/belief/attempt_evidence.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace surety::plan {
namespace {

// Share of the evaluation's noise that differs from pass to pass.
constexpr double kEvaluationShare = 0.3;
constexpr double kStuckDeviation = 0.05;  // Log deviation of an attempt that does not learn.

// Log density, up to a constant, of Student's t with 4 degrees of freedom.
double log_t4(double deviation, double sd) {
  const double z = deviation / sd;
  return -std::log(sd) - 2.5 * std::log1p(z * z / 4);
}

// Continues at the same metric on the course `to`, less the passes that the change costs.
LearningCourse changed(const LearningCourse& from, LearningCourse to, double cost) {
  to.from = std::clamp(to.passes_to(from.metric(0)) - cost, 0.0, kFarPasses);
  return to;
}

}  // namespace

void AttemptEvidence::add(const SeenPass& pass, double start) {
  passes_.push_back(pass);
  stuck_before_ += stuck_last_;
  stuck_last_ = log_t4(std::log(pass.metric / start), kStuckDeviation);
}

LearningCourse AttemptEvidence::onward(const DrawLaws& laws, const Draw& draw,
                                       std::uint32_t version, double workers_log) const {
  return after(passes_.size(), laws, draw, version, workers_log);
}

LearningCourse AttemptEvidence::after(std::size_t count, const DrawLaws& laws, const Draw& draw,
                                      std::uint32_t version, double workers_log) const {
  const double effect = laws.effect_of(draw, number_);
  double workers = count == 0 ? workers_log : passes_[0].workers_log;
  std::uint32_t at = count == 0 ? version : passes_[0].version;
  LearningCourse now = laws.course(draw, at, effect, workers);
  const auto change_to = [&](std::uint32_t to) {
    now = changed(now, laws.course(draw, to, effect, workers), laws.passes_of_change(draw));
    at = to;
  };
  const auto share_among = [&](double to) {
    if (to == workers) return;
    now.stretch(laws.workers_factor(draw, to - workers));
    workers = to;
  };
  double done = 0;
  for (std::size_t i = 0; i < count; ++i) {
    share_among(passes_[i].workers_log);
    if (passes_[i].version != at) change_to(passes_[i].version);
    now.from += passes_[i].passes - done;
    done = passes_[i].passes;
  }
  share_among(workers_log);
  if (at != version) change_to(version);
  return now;
}

double AttemptEvidence::log_likelihood_learning(const DrawLaws& laws, const Draw& draw,
                                                double last) const {
  double sum = 0;
  double workers = passes_[0].workers_log;
  std::uint32_t version = passes_[0].version;
  LearningCourse course = after(0, laws, draw, version, workers);
  double done = 0;
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const SeenPass& pass = passes_[i];
    if (pass.version != version) {
      course = after(i, laws, draw, pass.version, pass.workers_log);
      version = pass.version;
    } else if (pass.workers_log != workers) {
      course.stretch(laws.workers_factor(draw, pass.workers_log - workers));
    }
    workers = pass.workers_log;
    course.from += pass.passes - done;
    done = pass.passes;
    const double noise = kEvaluationShare * pass.metric_se / pass.metric;
    sum += (i + 1 == passes_.size() ? last : 1) * course.log_density(pass.metric, noise);
  }
  return sum;
}

double AttemptEvidence::log_likelihood(const DrawLaws& laws, const Draw& draw, double last) const {
  if (passes_.empty()) return 0;
  const double q = laws.stuck(draw);
  const double a = std::log1p(-q) + log_likelihood_learning(laws, draw, last);
  const double b = std::log(q) + log_likelihood_stuck(last);
  return log_of_sum(a, b);
}

double AttemptEvidence::chance_stuck(const DrawLaws& laws, const Draw& draw) const {
  const double q = laws.stuck(draw);
  if (passes_.empty()) return q;
  const double odds_log =
      std::log(q / (1 - q)) + log_likelihood_stuck(1) - log_likelihood_learning(laws, draw, 1);
  return 1 / (1 + std::exp(-odds_log));
}

bool AttemptEvidence::depends_on(const DrawLaws& laws,
                                 const std::vector<std::size_t>& places) const {
  return std::ranges::any_of(places, [&](std::size_t place) {
    const DrawLaws::Subject subject = laws.subject_of(place);
    switch (subject.kind) {
      case DrawLaws::Subject::Kind::kAll:
        return true;
      case DrawLaws::Subject::Kind::kAttempt:
        return subject.index == number_;
      case DrawLaws::Subject::Kind::kWorkers:
        return std::ranges::any_of(passes_,
                                   [](const SeenPass& pass) { return pass.workers_log != 0; });
      case DrawLaws::Subject::Kind::kVersion:
        return std::ranges::any_of(
            passes_, [&](const SeenPass& pass) { return pass.version == subject.index; });
    }
    return true;
  });
}

}  // namespace surety::plan
