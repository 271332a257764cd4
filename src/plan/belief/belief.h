// The belief about how versions learn, while attempts are in training.
//
// An *attempt* is a model in training. Each of some two hundred *draws* is one way in which all
// versions may learn. A draw describes all versions jointly, so a pass of one version changes the
// belief about the others. In a draw, the metric of an attempt after k passes is
//
//   start * (f + (1 - f) g(k e^A / k0)),   g(t) = (1 + t^b)^(-q/b)  or  exp(-t^b)
//
// with floor f, scale k0, power b and tail q of the version, and the effect A of the attempt. The
// power describes how sharply learning begins; the tail how it ends, like t^-q. The two are
// independent.
//
// A checkpoint adds jitter to the logarithm of the metric, in proportion to the progress made. The
// jitter is nearly normal below the course, and wider with a heavy tail above it. Some attempts
// never learn at all.
//
// Where the number of workers that share a pass matters, k0 is proportional to workers^c: with more
// workers, each takes fewer steps one after the other. All versions share the parameter c.
//
// Draws have equal weights. After each pass they are moved from the old posterior to the new one by
// tempered resampling with Metropolis steps (Neal 2001; Del Moral, Doucet and Jasra 2006).
//
// Pure and deterministic in its seed. Details: docs/theory.md, section 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "plan/belief/earlier_laws.h"

namespace surety::plan {

// The guess about a version before any measurement.
struct VersionGuess {
  double passes = 1;  // Passes that it needs for one pass of the full version.
};

// The passes needed are proportional to workers^c. The power c is normal; all versions share it.
struct WorkersLaw {
  double mean = 0;
  double sd = 0;  // 0 means that the number of workers does not matter; c is no parameter then.
};

struct BeliefOptions {
  std::uint32_t draws = 200;
  std::uint32_t moves = 12;  // Metropolis steps of each draw in each stage of an update.
  std::uint64_t seed = 1;
  // Chance that the metric falls like exp(-t^b), towards nothing. This is the rule for duality gaps
  // and the exception for losses on validation samples.
  double falls_to_nothing = 0.1;
  WorkersLaw workers;
  LawPrior prior;  // Prior of parameters(): the wide one, or with what earlier jobs taught.
};

// One pass that was evaluated.
struct SeenPass {
  std::uint32_t version = 0;
  double passes = 0;       // Passes of the attempt so far, in all versions, this one included.
  double metric = 0;       // Above 0; lower is better.
  double metric_se = 0;    // Standard error of the evaluation.
  double workers_log = 0;  // Log of the workers over the number that the guesses are meant for.
};

class Belief {
 public:
  // REQUIRES: versions is not empty and begins with the full one; start > 0 is the metric of the
  // untrained model.
  Belief(std::vector<VersionGuess> versions, double start, BeliefOptions options = {});

  // Begins a new attempt. Returns its number, from 0.
  std::uint32_t begin();
  // Adds one pass of an attempt.
  // REQUIRES: passes of an attempt come in order; metric > 0.
  // O(draws * moves * passes seen), with fewer moves once many passes were seen.
  void observe(std::uint32_t attempt, const SeenPass& pass);

  [[nodiscard]] std::uint32_t draws() const { return options_.draws; }

  // A course that an attempt may take from now on, in one draw.
  struct Course {
    double start = 0;
    double floor = 0;
    double power = 1;
    double tail = 1;
    double scale = 1;   // In units of passes.
    double from = 0;    // Passes of this version that lead to where the attempt stands now.
    double jitter = 0;  // Standard deviation of log(metric) at full progress.
    bool exponential = false;

    // The metric after `more` further passes, without jitter.
    [[nodiscard]] double metric(double more) const;
    // Chance that a checkpoint after `more` further passes shows at most `target`.
    [[nodiscard]] double chance(double more, double target) const;
  };
  // The course of a new attempt with this version. `effect`: how many standard deviations it learns
  // faster than the median attempt. `workers_log`: as in SeenPass.
  [[nodiscard]] Course fresh(std::uint32_t draw, std::uint32_t version, double effect,
                             double workers_log = 0) const;
  // The course of an attempt that continues with this version and workers.
  [[nodiscard]] Course onward(std::uint32_t draw, std::uint32_t attempt, std::uint32_t version,
                              double workers_log = 0) const;
  // Chance that an attempt never learns, in this draw.
  [[nodiscard]] double stuck(std::uint32_t draw) const;
  // Chance that this attempt never learns, in this draw.
  [[nodiscard]] double is_stuck(std::uint32_t draw, std::uint32_t attempt) const;
  [[nodiscard]] double start() const { return start_; }
  // The belief about what all attempts share, for later jobs.
  [[nodiscard]] EarlierLaws laws() const;

  // Number of parameters of a draw for this many versions, without those of attempts. The workers'
  // parameter is the last one.
  [[nodiscard]] static std::size_t parameters(std::size_t versions, bool workers_matter);

 private:
  // Each entry is a standard normal in the wide prior: first the common parameters, then those of
  // each version, then one for each attempt.
  using Draw = std::vector<double>;
  struct Attempt {
    std::vector<SeenPass> passes;
    // Log likelihood if the attempt never learns: of all passes but the last one, and of the last
    // one. The same in all draws.
    double stays_before = 0;
    double stays_last = 0;
  };

  [[nodiscard]] bool workers_matter() const { return options_.workers.sd > 0; }
  [[nodiscard]] std::size_t place_of_attempt(std::uint32_t attempt) const;
  [[nodiscard]] Course course(const Draw& draw, std::uint32_t version, double effect,
                              double workers_log) const;
  // Keeps the progress but changes the workers. `change`: the change of the logarithm of their
  // number.
  void share(Course& course, const Draw& draw, double change) const;
  [[nodiscard]] double workers_power(const Draw& draw) const;
  [[nodiscard]] double effect_of(const Draw& draw, std::uint32_t attempt) const;
  // The state of an attempt after its first `count` passes, if it continues with `version` on these
  // workers.
  [[nodiscard]] Course course_of(const Draw& draw, std::uint32_t attempt, std::size_t count,
                                 std::uint32_t version, double workers_log) const;
  // Log likelihood of the passes of one attempt; the last pass counts with the weight `last`.
  [[nodiscard]] double log_likelihood(const Draw& draw, std::uint32_t attempt, double last) const;
  [[nodiscard]] double learns(const Draw& draw, std::uint32_t attempt, double last) const;
  [[nodiscard]] double stays(std::uint32_t attempt, double last) const;
  [[nodiscard]] double log_prior(const Draw& draw) const;
  void move(Draw& draw, const std::vector<Draw>& others, Random& random, std::uint32_t latest,
            double last) const;
  [[nodiscard]] bool concerns(const std::vector<std::size_t>& parameters,
                              std::uint32_t attempt) const;
  void resample(const std::vector<double>& log_weights, Random& random);

  std::vector<VersionGuess> versions_;
  double start_;
  BeliefOptions options_;
  std::vector<Draw> draws_;
  std::vector<Attempt> attempts_;
  std::uint32_t seen_ = 0;
  Random random_;
};

}  // namespace surety::plan
