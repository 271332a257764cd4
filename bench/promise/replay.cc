#include "replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "model/version.h"
#include "plan/pool/stop_metric.h"

namespace surety::bench {
namespace {

// How far a guess by multiplications is off, of a pass's time relative to the full version's.
constexpr double kGuessLogSd = 0.2;
constexpr double kTimeLogSd = 0.04;  // Of a pass's duration, as the studies have it.

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

// Runs of each version in a random order; a run is used again only after all others. All attempts
// of a job have one division of the samples.
class Deck {
 public:
  Deck(const RecordedStudy& study, Random random)
      : study_(study),
        orders_(shuffled_runs(study, random)),
        at_(orders_.size()),
        division_(study, random) {}
  // Stays where it is as long as the deck.
  const std::vector<Seen>& draw(std::size_t version) {
    const std::vector<std::size_t>& order = orders_[version];
    const RecordedRun& run = study_.versions[version].runs[order[at_[version]++ % order.size()]];
    return drawn_.emplace_back(division_.seen(run));
  }

 private:
  const RecordedStudy& study_;
  std::vector<std::vector<std::size_t>> orders_;
  std::vector<std::size_t> at_;
  JobDivision division_;
  std::deque<std::vector<Seen>> drawn_;
};

double pass_s(const Cell& cell, std::size_t version, Random& random) {
  return cell.pass_s[version] * std::exp(kTimeLogSd * random.normal()) + cell.eval_s;
}

bool stops(const Cell& cell, const Seen& seen) {
  return seen.decide <= plan::stop_metric(cell.target, cell.probability, seen.decide_se);
}

void stop(Outcome& out, const Cell& cell, const Seen& seen) {
  out.stopped = true;
  out.certified = seen.certify <= cell.target;
}

plan::PoolSpec spec_of(const RecordedStudy& study, const Cell& cell, const Random& random) {
  plan::PoolSpec spec;
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

}  // namespace

Outcome replay(const RecordedStudy& study, const Cell& cell, Random random,
               const JobOptions& options) {
  plan::PoolSpec spec = spec_of(study, cell, random);
  spec.best_effort = options.best_effort;
  spec.earlier = options.earlier;
  Random luck = random.fork("times");
  Deck deck(study, random.fork("deck"));
  std::vector<const std::vector<Seen>*> runs;
  std::vector<std::uint32_t> passes;
  std::vector<std::size_t> versions;

  plan::AttemptPool pool(spec);
  pool.untrained(std::min(study.untrained, std::log(10.0)));  // Of ten classes.
  Outcome out;
  while (true) {
    const plan::PoolMoment now{cell.deadline_s - out.money, std::nullopt};
    const plan::PoolStep step = pool.next(now);
    if (step.promised) {
      out.promised_at = out.money;
      out.promised_by_counts = step.promised->argument.starts_with("by counts");
    }
    if (const auto* certify = std::get_if<plan::PoolCertify>(&step.action)) {
      out.attempts = pool.attempts();
      const Seen& seen = (*runs[certify->attempt])[passes[certify->attempt]];
      if (certify->target_met) stop(out, cell, seen);
      out.lessons = pool.lessons(!out.stopped || out.certified);
      return out;
    }
    if (std::holds_alternative<plan::PoolRefuse>(step.action)) {
      out.refused = true;
      out.attempts = pool.attempts();
      return out;
    }
    const auto& train = std::get<plan::PoolTrain>(step.action);
    std::uint32_t attempt = 0;
    if (train.attempt) {
      attempt = *train.attempt;
    } else {
      attempt = static_cast<std::uint32_t>(runs.size());
      versions.push_back(spec.variants[train.variant].version);
      runs.push_back(&deck.draw(versions.back()));
      passes.push_back(0);
    }
    const double seconds = pass_s(cell, versions[attempt], luck);
    out.money += seconds;
    if (out.money > cell.deadline_s) return out;
    ++passes[attempt];
    const Seen& seen = (*runs[attempt])[passes[attempt]];
    pool.passed({.attempt = attempt,
                 .variant = static_cast<std::uint32_t>(versions[attempt]),
                 .passes = passes[attempt],
                 .metric = seen.decide,
                 .metric_se = seen.decide_se,
                 .seconds = seconds});
  }
}

Outcome always(const RecordedStudy& study, const Cell& cell, std::size_t version, Random random) {
  Random luck = random.fork("times");
  Deck deck(study, random.fork("deck"));
  Outcome out;
  while (out.money < cell.deadline_s && out.attempts < 200) {
    const std::vector<Seen>& run = deck.draw(version);
    ++out.attempts;
    for (std::uint32_t pass = 1; pass <= study.passes; ++pass) {
      out.money += pass_s(cell, version, luck);
      if (out.money > cell.deadline_s) return out;
      if (!stops(cell, run[pass])) continue;
      stop(out, cell, run[pass]);
      return out;
    }
  }
  return out;
}

Outcome halving(const RecordedStudy& study, const Cell& cell, Random random) {
  Random luck = random.fork("times");
  Deck deck(study, random.fork("deck"));
  Outcome out;
  struct Rung {
    std::size_t version;
    const std::vector<Seen>* run;
    std::uint32_t passes;
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Rung> alive;
    for (std::size_t v = 0; v < study.versions.size(); ++v) alive.push_back({v, &deck.draw(v), 0});
    out.attempts += static_cast<std::uint32_t>(alive.size());
    for (std::uint32_t more = 1; !alive.empty(); more *= 2) {
      for (Rung& rung : alive) {
        for (std::uint32_t i = 0; i < more && rung.passes < study.passes; ++i) {
          out.money += pass_s(cell, rung.version, luck);
          if (out.money > cell.deadline_s) return out;
          const Seen& seen = (*rung.run)[++rung.passes];
          if (!stops(cell, seen)) continue;
          stop(out, cell, seen);
          return out;
        }
      }
      // By what a pass has brought for its money so far.
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
