// The belief about how versions learn, while attempts are in training.
//
// An *attempt* is a model in training. Each of some two hundred *draws* is one way in which all
// versions may learn (draw_laws.h). A draw describes all versions jointly, so a pass of one version
// changes the belief about the others. In a draw each attempt follows a course (learning_course.h),
// or never learns at all (attempt_evidence.h).
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
#include "plan/belief/attempt_evidence.h"
#include "plan/belief/draw_laws.h"
#include "plan/belief/earlier_laws.h"
#include "plan/belief/learning_course.h"

namespace surety::plan {

struct BeliefOptions {
  std::uint32_t draws = 200;
  std::uint32_t moves = 12;  // Metropolis steps of each draw in each stage of an update.
  std::uint64_t seed = 1;
  ShapeLaw shape;
  std::optional<WorkersLaw> workers{};  // None: the number of workers does not matter.
  LawPrior prior;  // Prior of parameters(): the wide prior, or one with the laws of earlier jobs.
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
  using Course = LearningCourse;
  // The course of a new attempt with this version. `effect`: by how many standard deviations the
  // attempt learns faster than the median attempt. `workers_log`: as in SeenPass.
  [[nodiscard]] Course fresh(std::uint32_t draw, std::uint32_t version, double effect,
                             double workers_log = 0) const;
  // The course of an attempt that continues with this version and workers.
  [[nodiscard]] Course onward(std::uint32_t draw, std::uint32_t attempt, std::uint32_t version,
                              double workers_log = 0) const;
  // Chance that an attempt never learns, in this draw.
  [[nodiscard]] double stuck(std::uint32_t draw) const;
  // Chance that this attempt never learns, in this draw.
  [[nodiscard]] double chance_stuck(std::uint32_t draw, std::uint32_t attempt) const;
  [[nodiscard]] double start() const { return laws_.start(); }
  // The belief about the parameters that all attempts share, for later jobs.
  [[nodiscard]] EarlierLaws laws() const;

  // Number of parameters of a draw for this many versions, without those of attempts. The workers'
  // parameter is the last one.
  [[nodiscard]] static std::size_t parameters(std::size_t versions, bool workers_matter);

 private:
  using Draw = DrawLaws::Draw;

  [[nodiscard]] double log_prior(const Draw& draw) const;
  void move(Draw& draw, const std::vector<Draw>& others, Random& random, std::uint32_t latest,
            double last) const;
  void resample(const std::vector<double>& log_weights, Random& random);

  BeliefOptions options_;
  DrawLaws laws_;
  std::vector<Draw> draws_;
  std::vector<AttemptEvidence> attempts_;
  std::uint32_t seen_ = 0;  // Passes of all attempts.
  Random random_;
};

}  // namespace surety::plan
