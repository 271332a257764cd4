// What is believed of how versions learn, while attempts are in training.
//
// An *attempt* is a model in training. Each of some two hundred *draws* is one way in which all
// versions may learn, jointly: what is seen of one version moves the others. A draw says that after
// k passes the metric of an attempt is
//
//   start * (f + (1 - f) g(k e^A / k0)),   g(t) = (1 + t^b)^(-q/b)  or  exp(-t^b)
//
// with floor f, scale k0, power b and tail q of the version (how sharply learning begins says
// nothing about how it ends: like t^-q), the attempt's effect A, and a checkpoint's
// jitter (on the logarithm of the metric, in proportion to the progress made; nearly normal below
// the course, wider and with a heavy tail above it). Some attempts never learn at all. Where the
// number of workers that share a pass matters, k0 is in proportion to workers^c, with c a parameter
// that all versions share: of two workers each takes twice as many steps one after the other. Draws
// have equal weights: after each pass they are moved from the old posterior to the new one by
// tempered resampling with Metropolis steps (Neal 2001; Del Moral, Doucet and Jasra 2006).
//
// Pure and deterministic in its seed. In full: docs/theory.md, section 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "plan/pool/earlier_laws.h"

namespace surety::plan {

// What is believed of a version before anything was measured.
struct VersionGuess {
  double passes = 1;  // It needs, where the full version needs one.
};

// The power c of the workers by which the passes needed grow: normal, one for all versions.
struct WorkersLaw {
  double mean = 0;
  double sd = 0;  // 0: the number of workers does not matter, and is no parameter.
};

struct BeliefOptions {
  std::uint32_t draws = 200;
  std::uint32_t moves = 12;  // Metropolis steps of each draw in each stage of an update.
  std::uint64_t seed = 1;
  // Chance that the metric falls like exp(-t^b), to nothing in the end: the rule for duality gaps,
  // the exception for losses on other samples.
  double falls_to_nothing = 0.1;
  WorkersLaw workers;
  LawPrior prior;  // Of parameters(): the wide one, or what earlier jobs have taught as well.
};

// One pass that was evaluated.
struct SeenPass {
  std::uint32_t version = 0;
  double passes = 0;       // Of the attempt so far, with this one, in all versions.
  double metric = 0;       // Above 0; lower is better.
  double metric_se = 0;    // Standard error of the evaluation.
  double workers_log = 0;  // Logarithm of the workers, over those that the guesses are meant for.
};

class Belief {
 public:
  // REQUIRES: versions is not empty, the full one first; start > 0: the metric of the untrained
  // model.
  Belief(std::vector<VersionGuess> versions, double start, BeliefOptions options = {});

  // A new attempt; its number, from 0.
  std::uint32_t begin();
  // A pass of an attempt ended. REQUIRES: in the order of the attempt's passes; metric > 0.
  // O(draws * moves * passes seen), with fewer moves where many passes were seen.
  void saw(std::uint32_t attempt, const SeenPass& pass);

  [[nodiscard]] std::uint32_t draws() const { return options_.draws; }
  [[nodiscard]] std::uint32_t passes_seen() const { return seen_; }

  // A course that an attempt may take from now on, in one draw.
  struct Course {
    double start = 0, floor = 0, power = 1, tail = 1;
    double scale = 1;   // In passes.
    double from = 0;    // Passes of this version that would have brought it where it stands.
    double jitter = 0;  // Standard deviation of the logarithm of the metric, of full progress.
    bool exponential = false;

    // Of the metric, without jitter, after so many more passes.
    [[nodiscard]] double metric(double more) const;
    // That a checkpoint after so many more passes shows at most `target`.
    [[nodiscard]] double chance(double more, double target) const;
  };
  // A new attempt with this version on so many workers (as SeenPass has them), `effect` standard
  // deviations quicker than the middle one.
  [[nodiscard]] Course fresh(std::uint32_t draw, std::uint32_t version, double effect,
                             double workers_log = 0) const;
  // An attempt that goes on with this version on so many workers.
  [[nodiscard]] Course onward(std::uint32_t draw, std::uint32_t attempt, std::uint32_t version,
                              double workers_log = 0) const;
  // That an attempt never learns, in this draw.
  [[nodiscard]] double stuck(std::uint32_t draw) const;
  // That this attempt is one of those, in this draw.
  [[nodiscard]] double is_stuck(std::uint32_t draw, std::uint32_t attempt) const;
  [[nodiscard]] double start() const { return start_; }
  // What is believed of all attempts alike: for later jobs.
  [[nodiscard]] EarlierLaws laws() const;

  // How many parameters a draw has for so many versions, its attempts left out. The one of the
  // workers is the last.
  [[nodiscard]] static std::size_t parameters(std::size_t versions, bool workers_matter);

 private:
  // Standard normal in the wide prior: common ones, then of each version, then of each attempt.
  using Draw = std::vector<double>;
  struct Attempt {
    std::vector<SeenPass> passes;
    // Log likelihood of all passes but the last one, and of the last one, if it never learns: the
    // same in all draws.
    double stays_before = 0, stays_last = 0;
  };

  [[nodiscard]] bool workers_matter() const { return options_.workers.sd > 0; }
  [[nodiscard]] std::size_t place_of_attempt(std::uint32_t attempt) const;
  [[nodiscard]] Course course(const Draw& draw, std::uint32_t version, double effect,
                              double workers_log) const;
  // The same progress, made by other workers. `change`: of the logarithm of their number.
  void share(Course& course, const Draw& draw, double change) const;
  [[nodiscard]] double workers_power(const Draw& draw) const;
  [[nodiscard]] double effect_of(const Draw& draw, std::uint32_t attempt) const;
  // Where an attempt stands after its passes up to `count`, if it went on with `version` on so many
  // workers.
  [[nodiscard]] Course standing(const Draw& draw, std::uint32_t attempt, std::size_t count,
                                std::uint32_t version, double workers_log) const;
  // Of the passes of one attempt, the last one counted with `last` of its weight.
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
