#include "plan/belief/belief.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// Positions of the common parameters in a draw.
enum Common : std::size_t {
  kShape,
  kJitter,
  kEffect,
  kStuck,
  kJump,
  kFloor,
  kScale,
  kPower,
  kTail,
  kCommon
};
// Parameters of each version, in addition to the common ones.
enum PerVersion : std::size_t { kOwnFloor, kOwnScale, kOwnPower, kOwnTail, kPerVersion };

// The prior: medians, and standard deviations of the logarithms (for shares: of the log odds). It
// is wide where jobs differ by orders of magnitude (how many passes learning takes), and narrower
// where they do not (how similar the versions of one network are).
struct Prior {
  double middle;
  double sd;
};
constexpr Prior kFloorOdds{-2.5, 1.6};  // Log odds of the floor as a share of the start.
constexpr Prior kScaleLog{0.4, 1.4};    // Unit: passes of the full version.
constexpr Prior kPowerLog{0.6, 0.6};    // One or two passes without progress are not rare.
constexpr Prior kTailLog{-0.1, 0.4};
constexpr Prior kJitterLog{-2.5, 0.7};  // Jitter of the metric's logarithm.
constexpr Prior kEffectLog{-2.0, 0.6};  // Spread between attempts, of the logarithm of their speed.
constexpr Prior kStuckOdds{-4.0, 1.0};  // Log odds of attempts that never learn.
constexpr Prior kJumpLog{-0.2, 0.7};    // Passes that a change of version costs.
// Standard deviations of how versions differ from their guesses.
constexpr double kOwnFloorSd = 0.4;
constexpr double kOwnScaleSd = 0.6;
constexpr double kOwnPowerSd = 0.25;
constexpr double kOwnTailSd = 0.1;
// A version that needs e^x times the passes has a floor whose odds are e^(0.6 x) times as high,
// because it has less to learn with.
constexpr double kFloorOfPasses = 0.6;

constexpr double kLeastDeviation = 0.01;  // For the logarithm: no law is more precise.
// Share of the evaluation's noise that differs from pass to pass.
constexpr double kEvaluationShare = 0.3;
constexpr double kStuckDeviation = 0.05;  // Log deviation of an attempt that does not learn.
constexpr double kFar = 1e9;              // Passes, used when the metric is below the floor.
constexpr int kStagesMax = 40;
// With more passes than this, draws make fewer moves, so that an update takes no longer. Each pass
// then changes the belief less.
constexpr std::uint32_t kPassesOfAllMoves = 30;
constexpr std::uint32_t kMovesMin = 3;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Log density, up to a constant, of Student's t with 4 degrees of freedom.
double log_t4(double deviation, double sd) {
  const double z = deviation / sd;
  return -std::log(sd) - 2.5 * std::log1p(z * z / 4);
}

// Checkpoints are often far above their law and hardly ever far below it. Below it the jitter is
// nearly normal (Student's t with 8 degrees of freedom); above it the jitter is wider, with a heavy
// tail (2 degrees of freedom). The density is continuous, which fixes kBelow, the share that is
// below (with the lower half taken as normal).
constexpr double kWider = 1.35;
constexpr double kBelow = 0.397;

double log_jitter(double deviation, double sd) {
  const double z = deviation / sd;
  if (z < 0) return -std::log(sd) - 4.5 * std::log1p(z * z / 8);
  const double u = z / kWider;
  return -std::log(sd) - 1.5 * std::log1p(u * u / 2);
}

// Chance that the jitter is at most z standard deviations.
double jitter_probability(double z) {
  if (z < 0) return 2 * kBelow * normal_probability(z);
  const double u = z / kWider;
  return kBelow + (1 - kBelow) * u / std::sqrt(2 + u * u);
}

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

double Belief::Course::metric(double more) const {
  const double t = (from + more) / scale;
  const double tp = std::pow(t, power);
  const double left = std::exp(exponential ? -tp : -tail / power * std::log1p(tp));
  return start * (floor + (1 - floor) * left);
}

double Belief::Course::chance(double more, double target) const {
  const double expected = metric(more);
  const double progress = 1 - expected / start;
  const double sd = std::max(kLeastDeviation, jitter * progress);
  return jitter_probability(std::log(target / expected) / sd);
}

Belief::Belief(std::vector<VersionGuess> versions, double start, BeliefOptions options)
    : versions_(std::move(versions)), start_(start), options_(options), random_(options.seed) {
  SURETY_CHECK(!versions_.empty() && start_ > 0 && options_.draws > 0);
  draws_.resize(options_.draws);
  for (Draw& draw : draws_) {
    draw.resize(place_of_attempt(0));
    options_.prior.draw(draw, random_);
  }
}

std::size_t Belief::parameters(std::size_t versions, bool workers_matter) {
  return kCommon + kPerVersion * versions + (workers_matter ? 1 : 0);
}

EarlierLaws Belief::laws() const { return laws_of(draws_, place_of_attempt(0)); }

double Belief::log_prior(const Draw& draw) const {
  const std::size_t common = place_of_attempt(0);
  double sum = options_.prior.log_density(std::span(draw).first(common));
  for (std::size_t i = common; i < draw.size(); ++i) sum -= draw[i] * draw[i] / 2;
  return sum;
}

std::size_t Belief::place_of_attempt(std::uint32_t attempt) const {
  return parameters(versions_.size(), workers_matter()) + attempt;
}

std::uint32_t Belief::begin() {
  attempts_.emplace_back();
  for (Draw& draw : draws_) draw.push_back(random_.normal());
  return static_cast<std::uint32_t>(attempts_.size() - 1);
}

double Belief::workers_power(const Draw& draw) const {
  const WorkersLaw& law = options_.workers;
  return law.mean + (workers_matter() ? law.sd * draw[place_of_attempt(0) - 1] : 0);
}

void Belief::share(Course& course, const Draw& draw, double change) const {
  const double factor = std::exp(workers_power(draw) * change);
  course.scale *= factor;
  course.from *= factor;
}

Belief::Course Belief::course(const Draw& draw, std::uint32_t version, double effect,
                              double workers_log) const {
  const double* own = &draw[kCommon + kPerVersion * version];
  const double passes_log = std::log(versions_[version].passes);
  Course course;
  course.start = start_;
  course.exponential = draw[kShape] < normal_quantile(options_.falls_to_nothing);
  const double floor = logistic(kFloorOdds.middle + kFloorOdds.sd * draw[kFloor] +
                                kFloorOfPasses * passes_log + kOwnFloorSd * own[kOwnFloor]);
  // A duality gap falls to nothing. A loss that falls exponentially falls to its floor.
  course.floor = course.exponential && options_.falls_to_nothing > 0.5 ? floor * 1e-9 : floor;
  course.scale =
      std::exp(kScaleLog.middle + kScaleLog.sd * draw[kScale] + passes_log +
               kOwnScaleSd * own[kOwnScale] - effect + workers_power(draw) * workers_log);
  course.power =
      std::exp(kPowerLog.middle + kPowerLog.sd * draw[kPower] + kOwnPowerSd * own[kOwnPower]);
  course.tail = std::exp(kTailLog.middle + kTailLog.sd * draw[kTail] + kOwnTailSd * own[kOwnTail]);
  course.jitter = std::exp(kJitterLog.middle + kJitterLog.sd * draw[kJitter]);
  return course;
}

double Belief::effect_of(const Draw& draw, std::uint32_t attempt) const {
  return std::exp(kEffectLog.middle + kEffectLog.sd * draw[kEffect]) *
         draw[place_of_attempt(attempt)];
}

Belief::Course Belief::course_of(const Draw& draw, std::uint32_t attempt, std::size_t count,
                                 std::uint32_t version, double workers_log) const {
  const std::vector<SeenPass>& passes = attempts_[attempt].passes;
  const double effect = effect_of(draw, attempt);
  double workers = count == 0 ? workers_log : passes[0].workers_log;
  Course now = course(draw, count == 0 ? version : passes[0].version, effect, workers);
  const auto change_to = [&](std::uint32_t to) {
    // Continues at the same metric on the other version's law, less the passes that the change
    // costs.
    Course next = course(draw, to, effect, workers);
    const double left = (now.metric(0) / next.start - next.floor) / (1 - next.floor);
    double t = 0;
    if (left <= 0) {
      t = kFar;
    } else if (left < 1) {
      const double tp =
          next.exponential ? -std::log(left) : std::expm1(-std::log(left) * next.power / next.tail);
      t = std::pow(tp, 1 / next.power);
    }
    const double jump = std::exp(kJumpLog.middle + kJumpLog.sd * draw[kJump]);
    next.from = std::clamp(t * next.scale - jump, 0.0, kFar);
    now = next;
  };
  std::uint32_t at = count == 0 ? version : passes[0].version;
  double done = 0;
  const auto share_among = [&](double to) {
    if (to == workers) return;
    share(now, draw, to - workers);
    workers = to;
  };
  for (std::size_t i = 0; i < count; ++i) {
    share_among(passes[i].workers_log);
    if (passes[i].version != at) change_to(at = passes[i].version);
    now.from += passes[i].passes - done;
    done = passes[i].passes;
  }
  share_among(workers_log);
  if (at != version) change_to(version);
  return now;
}

Belief::Course Belief::fresh(std::uint32_t draw, std::uint32_t version, double effect,
                             double workers_log) const {
  const double sd = std::exp(kEffectLog.middle + kEffectLog.sd * draws_[draw][kEffect]);
  return course(draws_[draw], version, effect * sd, workers_log);
}

Belief::Course Belief::onward(std::uint32_t draw, std::uint32_t attempt, std::uint32_t version,
                              double workers_log) const {
  return course_of(draws_[draw], attempt, attempts_[attempt].passes.size(), version, workers_log);
}

double Belief::stuck(std::uint32_t draw) const {
  return logistic(kStuckOdds.middle + kStuckOdds.sd * draws_[draw][kStuck]);
}

double Belief::is_stuck(std::uint32_t draw, std::uint32_t attempt) const {
  if (attempts_[attempt].passes.empty()) return stuck(draw);
  const double q = stuck(draw);
  const double other = std::log(q / (1 - q)) + stays(attempt, 1) - learns(draws_[draw], attempt, 1);
  return logistic(other);
}

double Belief::learns(const Draw& draw, std::uint32_t attempt, double last) const {
  const std::vector<SeenPass>& passes = attempts_[attempt].passes;
  double sum = 0;
  double workers = passes[0].workers_log;
  std::uint32_t version = passes[0].version;
  Course course = course_of(draw, attempt, 0, version, workers);
  double done = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const SeenPass& pass = passes[i];
    if (pass.version != version) {
      course = course_of(draw, attempt, i, pass.version, pass.workers_log);
      version = pass.version;
    } else if (pass.workers_log != workers) {
      share(course, draw, pass.workers_log - workers);
    }
    workers = pass.workers_log;
    course.from += pass.passes - done;
    done = pass.passes;
    const double expected = course.metric(0);
    const double jitter = course.jitter * (1 - expected / start_);
    const double noise = kEvaluationShare * pass.metric_se / pass.metric;
    const double sd =
        std::sqrt(jitter * jitter + noise * noise + kLeastDeviation * kLeastDeviation);
    sum += (i + 1 == passes.size() ? last : 1) * log_jitter(std::log(pass.metric / expected), sd);
  }
  return sum;
}

double Belief::stays(std::uint32_t attempt, double last) const {
  return attempts_[attempt].stays_before + last * attempts_[attempt].stays_last;
}

double Belief::log_likelihood(const Draw& draw, std::uint32_t attempt, double last) const {
  if (attempts_[attempt].passes.empty()) return 0;
  const double q = logistic(kStuckOdds.middle + kStuckOdds.sd * draw[kStuck]);
  const double a = std::log1p(-q) + learns(draw, attempt, last);
  const double b = std::log(q) + stays(attempt, last);
  return log_of_sum(a, b);
}

// Metropolis steps. Half of them change one to three of the parameters, by short or long steps. The
// other half goes along the difference of two other draws, which reflects the posterior's scales
// and directions (differential evolution: ter Braak 2006).
void Belief::move(Draw& draw, const std::vector<Draw>& others, Random& random, std::uint32_t latest,
                  double last) const {
  std::vector<double> terms(attempts_.size());
  for (std::uint32_t a = 0; a < attempts_.size(); ++a) {
    terms[a] = log_likelihood(draw, a, a == latest ? last : 1);
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
      if (!concerns(changed, a)) continue;
      then[a] = log_likelihood(there, a, a == latest ? last : 1);
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

// Whether the likelihood of an attempt depends on one of these parameters.
bool Belief::concerns(const std::vector<std::size_t>& parameters, std::uint32_t attempt) const {
  const std::size_t of_attempts = place_of_attempt(0);
  return std::ranges::any_of(parameters, [&](std::size_t place) {
    if (place < kCommon) return true;
    if (place >= of_attempts) return place - of_attempts == attempt;
    if (workers_matter() && place + 1 == of_attempts) {
      return std::ranges::any_of(attempts_[attempt].passes,
                                 [](const SeenPass& pass) { return pass.workers_log != 0; });
    }
    const std::size_t version = (place - kCommon) / kPerVersion;
    return std::ranges::any_of(attempts_[attempt].passes,
                               [&](const SeenPass& pass) { return pass.version == version; });
  });
}

// Systematic resampling: each draw is kept about as often as its weight says.
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
  Attempt& own = attempts_[attempt];
  own.passes.push_back(pass);
  own.stays_before += own.stays_last;
  own.stays_last = log_t4(std::log(pass.metric / start_), kStuckDeviation);
  ++seen_;
  Random random = random_.fork("pass", seen_);
  double done = 0;  // Share of the new pass's weight that the draws contain so far.
  std::vector<double> log_weights(draws_.size());
  for (int stage = 0; stage < kStagesMax && done < 1; ++stage) {
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      log_weights[i] =
          log_likelihood(draws_[i], attempt, 1) - log_likelihood(draws_[i], attempt, done);
    }
    // The weights of the next stage grow roughly in proportion to the share that it adds.
    double share = 1;
    while (effective_share(log_weights, share) < 0.3 && share > 1e-3) share /= 1.5;
    const double next = stage + 1 == kStagesMax || share >= 1 ? 1 : done + share * (1 - done);
    for (std::size_t i = 0; i < draws_.size(); ++i) {
      log_weights[i] =
          log_likelihood(draws_[i], attempt, next) - log_likelihood(draws_[i], attempt, done);
    }
    resample(log_weights, random);
    done = next;
    const std::vector<Draw> others = draws_;
    for (Draw& draw : draws_) move(draw, others, random, attempt, done);
  }
}

}  // namespace surety::plan
