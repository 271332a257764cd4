#include "plan/belief/belief.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr int kStagesMax = 40;
// With more passes than this, draws make fewer moves, so that the time of an update stays constant.
// Each pass then changes the belief less.
constexpr std::uint32_t kPassesOfAllMoves = 30;
constexpr std::uint32_t kMovesMin = 3;

// Effective share of the draws under these weights.
double effective_share(const std::vector<double>& log_weights, double power) {
  const double top = *std::ranges::max_element(log_weights);
  double sum = 0;
  double squares = 0;
  for (const double log_weight : log_weights) {
    const double weight = std::exp(power * (log_weight - top));
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / squares / static_cast<double>(log_weights.size());
}

}  // namespace

Belief::Belief(std::vector<VersionGuess> versions, double start, BeliefOptions options)
    : options_(options),
      laws_(std::move(versions), start, options.shape, options.workers),
      random_(options.seed) {
  SURETY_CHECK(options_.draws > 0);
  draws_.resize(options_.draws);
  for (Draw& draw : draws_) {
    draw.resize(laws_.parameters());
    options_.prior.draw(draw, random_);
  }
}

std::size_t Belief::parameters(std::size_t versions, bool workers_matter) {
  return DrawLaws::parameters(versions, workers_matter);
}

EarlierLaws Belief::laws() const { return laws_of(draws_, laws_.parameters()); }

double Belief::log_prior(const Draw& draw) const {
  const std::size_t common = laws_.parameters();
  double sum = options_.prior.log_density(std::span(draw).first(common));
  for (std::size_t i = common; i < draw.size(); ++i) sum -= draw[i] * draw[i] / 2;
  return sum;
}

std::uint32_t Belief::begin() {
  const auto number = static_cast<std::uint32_t>(attempts_.size());
  attempts_.emplace_back(number);
  for (Draw& draw : draws_) draw.push_back(random_.normal());
  return number;
}

Belief::Course Belief::fresh(std::uint32_t draw, std::uint32_t version, double effect,
                             double workers_log) const {
  const double sd = laws_.effect_sd(draws_[draw]);
  return laws_.course(draws_[draw], version, effect * sd, workers_log);
}

Belief::Course Belief::onward(std::uint32_t draw, std::uint32_t attempt, std::uint32_t version,
                              double workers_log) const {
  return attempts_[attempt].onward(laws_, draws_[draw], version, workers_log);
}

double Belief::stuck(std::uint32_t draw) const { return laws_.stuck(draws_[draw]); }

double Belief::chance_stuck(std::uint32_t draw, std::uint32_t attempt) const {
  return attempts_[attempt].chance_stuck(laws_, draws_[draw]);
}

// Metropolis steps. Half of the steps change one to three of the parameters, by short or long
// distances. The other half moves along the difference of two other draws, which reflects the
// posterior's scales and directions (differential evolution: ter Braak 2006).
void Belief::move(Draw& draw, const std::vector<Draw>& others, Random& random, std::uint32_t latest,
                  double last) const {
  std::vector<double> terms(attempts_.size());
  for (std::uint32_t a = 0; a < attempts_.size(); ++a) {
    terms[a] = attempts_[a].log_likelihood(laws_, draw, a == latest ? last : 1);
  }
  const std::uint32_t moves =
      std::min(options_.moves,
               std::max(kMovesMin, options_.moves * kPassesOfAllMoves / std::max(seen_, 1u)));
  Draw there = draw;
  double prior = log_prior(draw);
  std::vector<double> then = terms;
  std::vector<std::size_t> changed;
  for (std::uint32_t step = 0; step < moves; ++step) {
    changed.clear();
    if (step % 2 == 0) {
      constexpr double kSteps[] = {0.1, 0.3, 1.0};
      const double size = kSteps[random.below(3)];
      const std::uint64_t count = 1 + random.below(3);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t place = random.below(there.size());
        if (std::ranges::find(changed, place) != changed.end()) continue;
        changed.push_back(place);
        there[place] += size * random.normal();
      }
    } else {
      const Draw& from = others[random.below(others.size())];
      const Draw& to = others[random.below(others.size())];
      // Changes all, half or a third of the parameters.
      const std::uint64_t share = 1 + random.below(3);
      for (std::size_t i = 0; i < there.size(); ++i) {
        if (share == 1 || random.below(share) == 0) changed.push_back(i);
      }
      const double size = 1.7 / std::sqrt(static_cast<double>(changed.size() + 1));
      for (const std::size_t i : changed) {
        there[i] += size * (to[i] - from[i]) + 0.01 * random.normal();
      }
    }
    const double prior_there = log_prior(there);
    double gain = prior_there - prior;
    for (std::uint32_t a = 0; a < attempts_.size(); ++a) {
      if (!attempts_[a].depends_on(laws_, changed)) continue;
      then[a] = attempts_[a].log_likelihood(laws_, there, a == latest ? last : 1);
      gain += then[a] - terms[a];
    }
    if (std::log(1 - random.uniform()) < gain) {
      for (const std::size_t i : changed) draw[i] = there[i];
      terms = then;
      prior = prior_there;
    } else {
      for (const std::size_t i : changed) there[i] = draw[i];
      then = terms;
    }
  }
}

// Systematic resampling: the number of copies of each draw is about proportional to its weight.
void Belief::resample(const std::vector<double>& log_weights, Random& random) {
  const double top = *std::ranges::max_element(log_weights);
  std::vector<double> weights(log_weights.size());
  std::ranges::transform(log_weights, weights.begin(), [&](double w) { return std::exp(w - top); });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Draw> kept;
  const double step = total / static_cast<double>(draws_.size());
  double at = random.uniform() * step;
  double sum = 0;
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    sum += weights[i];
    for (; at < sum && kept.size() < draws_.size(); at += step) kept.push_back(draws_[i]);
  }
  while (kept.size() < draws_.size()) kept.push_back(draws_.back());
  draws_ = std::move(kept);
}

void Belief::observe(std::uint32_t attempt, const SeenPass& pass) {
  SURETY_CHECK(attempt < attempts_.size() && pass.metric > 0);
  AttemptEvidence& own = attempts_[attempt];
  own.add(pass, laws_.start());
  ++seen_;
  Random random = random_.fork("pass", seen_);
  double done = 0;  // Share of the new pass's weight that the draws contain so far.
  std::vector<double> log_weights(draws_.size());
  for (int stage = 0; stage < kStagesMax && done < 1; ++stage) {
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      log_weights[i] =
          own.log_likelihood(laws_, draws_[i], 1) - own.log_likelihood(laws_, draws_[i], done);
    }
    // The weights of the next stage grow roughly in proportion to the share that it adds.
    double share = 1;
    while (effective_share(log_weights, share) < 0.3 && share > 1e-3) share /= 1.5;
    const double next = stage + 1 == kStagesMax || share >= 1 ? 1 : done + share * (1 - done);
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      log_weights[i] =
          own.log_likelihood(laws_, draws_[i], next) - own.log_likelihood(laws_, draws_[i], done);
    }
    resample(log_weights, random);
    done = next;
    const std::vector<Draw> others = draws_;
    for (Draw& draw : draws_) move(draw, others, random, attempt, done);
  }
}

}  // namespace surety::plan
