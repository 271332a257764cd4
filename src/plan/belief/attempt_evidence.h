// The observed passes of one attempt, and their likelihood under a draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/belief/draw_laws.h"
#include "plan/belief/learning_course.h"

namespace surety::plan {

// One pass that was evaluated.
struct SeenPass {
  std::uint32_t version = 0;
  double passes = 0;       // Passes of the attempt so far, in all versions, this one included.
  double metric = 0;       // Above 0; lower is better.
  double metric_se = 0;    // Standard error of the evaluation.
  double workers_log = 0;  // Log of the workers over the number that the guesses are meant for.
};

class AttemptEvidence {
 public:
  using Draw = DrawLaws::Draw;

  // `number` is that of the attempt, from 0.
  explicit AttemptEvidence(std::uint32_t number) : number_(number) {}

  // REQUIRES: passes come in order; metric > 0. `start`: the metric of the untrained model.
  void add(const SeenPass& pass, double start);

  // The course of the attempt from now on, if it continues with this version and workers. It
  // assumes that the draw is right, and that the attempt learns. O(passes).
  [[nodiscard]] LearningCourse onward(const DrawLaws& laws, const Draw& draw, std::uint32_t version,
                                      double workers_log) const;
  // Log likelihood of the passes, up to a constant; the last pass counts with the weight `last`. 0
  // if there are none. O(passes), and O(passes^2) if versions change often.
  [[nodiscard]] double log_likelihood(const DrawLaws& laws, const Draw& draw, double last) const;
  // Chance that the attempt never learns.
  [[nodiscard]] double chance_stuck(const DrawLaws& laws, const Draw& draw) const;
  // Whether the likelihood depends on one of the parameters at these places of a draw.
  [[nodiscard]] bool depends_on(const DrawLaws& laws, const std::vector<std::size_t>& places) const;

 private:
  // The state after the first `count` passes, if it continues with `version` on these workers.
  [[nodiscard]] LearningCourse after(std::size_t count, const DrawLaws& laws, const Draw& draw,
                                     std::uint32_t version, double workers_log) const;
  // Log likelihood if the attempt learns, and if it never learns. The latter is the same in all
  // draws. REQUIRES: there are passes.
  [[nodiscard]] double log_likelihood_learning(const DrawLaws& laws, const Draw& draw,
                                               double last) const;
  [[nodiscard]] double log_likelihood_stuck(double last) const {
    return stuck_before_ + last * stuck_last_;
  }

  std::uint32_t number_;
  std::vector<SeenPass> passes_;
  // Log likelihood if the attempt never learns: of all passes but the last one, and of the last
  // one.
  double stuck_before_ = 0;
  double stuck_last_ = 0;
};

}  // namespace surety::plan
