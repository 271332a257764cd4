#include "replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <span>

#include "base/statistics.h"
#include "model/version.h"
#include "plan/belief/stop_metric.h"

namespace surety::bench {
namespace {

// Error of a guess by multiplications, as log standard deviation of a pass's time relative to that
// of the full version.
constexpr double kGuessLogSd = 0.2;
// Log standard deviation of a pass's duration, as in the studies.
constexpr double kTimeLogSd = 0.04;

std::vector<std::vector<std::size_t>> shuffled_runs(const RecordedStudy& study, Random& random) {
  std::vector<std::vector<std::size_t>> orders;
  for (const RecordedVersion& version : study.versions) {
    std::vector<std::size_t> order(version.runs.size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    orders.push_back(std::move(order));
  }
  return orders;
}

// The runs of each version in a random order. A run is used again only after all others. All
// attempts of a job use one division of the samples.
class Deck {
 public:
  Deck(const RecordedStudy& study, Random random)
      : study_(study),
        orders_(shuffled_runs(study, random)),
        at_(orders_.size()),
        division_(study, random) {}
  // The reference is valid as long as the deck exists.
  const std::vector<PassMetrics>& draw(std::size_t version) {
    const std::vector<std::size_t>& order = orders_[version];
    const RecordedRun& run = study_.versions[version].runs[order[at_[version]++ % order.size()]];
    return drawn_.emplace_back(division_.metrics_of(run));
  }

 private:
  const RecordedStudy& study_;
  std::vector<std::vector<std::size_t>> orders_;
  std::vector<std::size_t> at_;
  JobDivision division_;
  std::deque<std::vector<PassMetrics>> drawn_;
};

double pass_s(const Cell& cell, std::size_t version, Random& random) {
  return cell.pass_s[version] * std::exp(kTimeLogSd * random.normal()) + cell.eval_s;
}

// Whether the pool's rule stops the run after this many passes.
bool stops(const Cell& cell, const std::vector<PassMetrics>& run, std::uint32_t passes) {
  plan::Fall fall(run[0].decide);
  for (std::uint32_t pass = 1; pass <= passes; ++pass) fall.on_pass(run[pass].decide);
  const PassMetrics& seen = run[passes];
  return seen.decide <=
         plan::stop_metric(cell.target, cell.probability, seen.decide_se, fall.is_steady());
}

void stop(Outcome& out, const Cell& cell, const PassMetrics& seen) {
  out.stopped = true;
  out.certified = seen.certify <= cell.target;
}

ChanceEstimate estimate_of(const plan::PoolStep& step, const Outcome& out) {
  ChanceEstimate estimate{
      .passes = out.passes, .money = out.money, .mean = surety::mean(step.outlook)};
  for (std::size_t level = 0; level < std::size(kLevels); ++level) {
    estimate.low[level] = surety::quantile(step.outlook, kLevels[level]);
  }
  return estimate;
}

plan::PoolSpec spec_of(const RecordedStudy& study, const Cell& cell, const JobOptions& options,
                       const Random& random) {
  plan::PoolSpec spec;
  spec.best_effort = options.best_effort;
  spec.earlier = options.earlier;
  spec.target = cell.target;
  spec.probability = cell.probability;
  spec.passes_max = study.passes;
  spec.switches = false;
  spec.seed = random.fork("belief").next();
  Random guess = random.fork("guess");
  for (std::uint32_t v = 0; v < study.versions.size(); ++v) {
    const std::string& name = study.versions[v].name;
    spec.version_names.push_back(name);
    spec.versions.push_back(plan::guess_of(1 - model::parse_version(name)->pruned));
    plan::PoolVariantSpec variant;
    variant.name = name;
    variant.version = v;
    variant.relative_time = cell.pass_s[v] / cell.pass_s[0];
    if (v > 0) variant.relative_time *= std::exp(kGuessLogSd * guess.normal());
    variant.price_per_s = 1;
    spec.variants.push_back(variant);
  }
  return spec;
}

// A job that is being replayed.
class Replay {
 public:
  Replay(const RecordedStudy& study, const Cell& cell, Random random, const JobOptions& options)
      : cell_(cell),
        spec_(spec_of(study, cell, options, random)),
        pool_(spec_),
        time_random_(random.fork("times")),
        deck_(study, random.fork("deck")) {
    // log(10) is the loss of a guess among ten classes.
    pool_.set_untrained_metric(std::min(study.untrained, std::log(10.0)));
  }

  [[nodiscard]] Outcome run(const Race& race) {
    if (race.rounds > 0 && run_race(race)) return out_;
    while (true) {
      const plan::PoolStep step = pool_.next({cell_.deadline_s - out_.money, std::nullopt});
      if (out_.passes > 0 && !step.outlook.empty())
        out_.estimates.push_back(estimate_of(step, out_));
      if (step.promised) {
        out_.promised_at = out_.money;
        out_.promised_by_counts = step.promised->argument.starts_with("by counts");
      }
      out_.attempts = pool_.attempts();
      if (const auto* certify = std::get_if<plan::PoolCertify>(&step.action)) {
        if (certify->target_met) {
          stop(out_, cell_, metrics_of(certify->attempt));
        } else {
          out_.certified = best_ != nullptr && best_->certify <= cell_.target;
        }
        out_.earlier_jobs = pool_.for_later_jobs(!out_.stopped || out_.certified);
        return out_;
      }
      out_.refused = std::holds_alternative<plan::PoolRefuse>(step.action);
      if (out_.refused) return out_;
      const auto& train = std::get<plan::PoolTrain>(step.action);
      out_.abandoned = !train.attempt && runs_.size() >= kAttemptsMax;
      if (out_.abandoned) {
        out_.earlier_jobs = pool_.for_later_jobs(true);
        return out_;
      }
      const std::uint32_t attempt = train.attempt ? *train.attempt : begin(train.variant);
      const double seconds = pass_s(cell_, versions_[attempt], time_random_);
      out_.money += seconds;
      if (out_.money > cell_.deadline_s) return out_;
      pass(attempt, seconds);
    }
  }

 private:
  std::uint32_t begin(std::uint32_t version) {
    versions_.push_back(version);
    runs_.push_back(&deck_.draw(version));
    passes_.push_back(0);
    return static_cast<std::uint32_t>(runs_.size() - 1);
  }
  [[nodiscard]] const PassMetrics& metrics_of(std::uint32_t attempt) const {
    return (*runs_[attempt])[passes_[attempt]];
  }
  void pass(std::uint32_t attempt, double seconds) {
    ++passes_[attempt];
    ++out_.passes;
    pool_.on_pass({.attempt = attempt,
                   .variant = static_cast<std::uint32_t>(versions_[attempt]),
                   .passes = passes_[attempt],
                   .metric = metrics_of(attempt).decide,
                   .metric_se = metrics_of(attempt).decide_se,
                   .seconds = seconds});
    pool_.on_saved(metrics_of(attempt).decide);
    if (best_ == nullptr || metrics_of(attempt).decide < best_->decide)
      best_ = &metrics_of(attempt);
  }

  // Returns whether the job has ended in the race. The faster attempt makes as many passes as fit.
  [[nodiscard]] bool run_race(const Race& race) {
    const plan::PoolStep step = pool_.next({cell_.deadline_s, std::nullopt});
    const std::uint32_t first = std::get<plan::PoolTrain>(step.action).variant;
    const auto versions = static_cast<std::uint32_t>(cell_.pass_s.size());
    begin(first);
    begin(race.same_version ? first : (first + 1) % versions);
    std::array<double, 2> ahead{};
    for (std::uint32_t round = 0; round < race.rounds; ++round) {
      const std::array<double, 2> seconds{pass_s(cell_, versions_[0], time_random_),
                                          pass_s(cell_, versions_[1], time_random_)};
      const double longest = std::max(seconds[0], seconds[1]);
      out_.money += race.slower * longest;
      if (out_.money > cell_.deadline_s) return true;
      for (const std::uint32_t attempt : {0u, 1u}) {
        ahead[attempt] += longest;
        while (ahead[attempt] >= seconds[attempt] && passes_[attempt] < spec_.passes_max) {
          ahead[attempt] -= seconds[attempt];
          pass(attempt, seconds[attempt]);
          if (!stops(cell_, *runs_[attempt], passes_[attempt])) continue;
          stop(out_, cell_, metrics_of(attempt));
          out_.attempts = pool_.attempts();
          return true;
        }
      }
    }
    return false;
  }

  const Cell& cell_;
  plan::PoolSpec spec_;
  plan::AttemptPool pool_;
  Random time_random_;
  Deck deck_;
  std::vector<const std::vector<PassMetrics>*> runs_;
  std::vector<std::uint32_t> passes_;
  std::vector<std::size_t> versions_;
  const PassMetrics* best_ = nullptr;  // The best model of all attempts, by the deciding samples.
  Outcome out_;
};

}  // namespace

Outcome replay(const RecordedStudy& study, const Cell& cell, Random random,
               const JobOptions& options) {
  return Replay(study, cell, random, options).run(options.race);
}

Outcome always(const RecordedStudy& study, const Cell& cell, std::size_t version, Random random) {
  Random base_random = random.fork("times");
  Deck deck(study, random.fork("deck"));
  Outcome out;
  while (out.money < cell.deadline_s && out.attempts < 200) {
    const std::vector<PassMetrics>& run = deck.draw(version);
    ++out.attempts;
    for (std::uint32_t pass = 1; pass <= study.passes; ++pass) {
      out.money += pass_s(cell, version, base_random);
      if (out.money > cell.deadline_s) return out;
      if (!stops(cell, run, pass)) continue;
      stop(out, cell, run[pass]);
      return out;
    }
  }
  return out;
}

Outcome halving(const RecordedStudy& study, const Cell& cell, Random random) {
  Random base_random = random.fork("times");
  Deck deck(study, random.fork("deck"));
  Outcome out;
  struct Rung {
    std::size_t version;
    const std::vector<PassMetrics>* run;
    std::uint32_t passes;
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Rung> alive;
    for (std::size_t v = 0; v < study.versions.size(); ++v) alive.push_back({v, &deck.draw(v), 0});
    out.attempts += static_cast<std::uint32_t>(alive.size());
    for (std::uint32_t more = 1; !alive.empty(); more *= 2) {
      for (Rung& rung : alive) {
        for (std::uint32_t i = 0; i < more && rung.passes < study.passes; ++i) {
          out.money += pass_s(cell, rung.version, base_random);
          if (out.money > cell.deadline_s) return out;
          ++rung.passes;
          if (!stops(cell, *rung.run, rung.passes)) continue;
          stop(out, cell, (*rung.run)[rung.passes]);
          return out;
        }
      }
      // Sorts by the gain of the passes so far for their money.
      std::ranges::sort(alive, {}, [&](const Rung& rung) {
        const double fall = std::log((*rung.run)[0].decide / (*rung.run)[rung.passes].decide);
        return -fall / (cell.pass_s[rung.version] * rung.passes);
      });
      if (alive.size() > 1) alive.resize((alive.size() + 1) / 2);
      if (alive.size() == 1 && alive[0].passes == study.passes) break;
    }
  }
  return out;
}

}  // namespace surety::bench
