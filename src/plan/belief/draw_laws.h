// The meaning of the parameters of a draw: how versions and attempts learn if the draw is right.
//
// A draw describes all versions jointly. Its parameters are first the common ones, then those of
// each version, then, if the number of workers matters, the power of the workers, and then one for
// each attempt: its effect. Each is a standard normal in the wide prior.
//
// The scale of a course is k0 e^-A, with the scale k0 of the version and the effect A of the
// attempt. Where the number of workers that share a pass matters, k0 is proportional to workers^c:
// with more workers, each takes fewer steps one after the other. All versions share the power c.
//
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/belief/learning_course.h"

namespace surety::plan {

// The guess about a version before any measurement.
struct VersionGuess {
  double passes = 1;  // Passes that it needs for one pass of the full version.
};

// The passes needed are proportional to workers^c. The power c is normal; all versions share it.
// Without such a law the number of workers does not matter, and c is no parameter.
struct WorkersLaw {
  double mean = 0;
  double sd = 0;
};

// The guess about the shape of courses: exp(-t^b) or a power of t (learning_course.h).
struct ShapeLaw {
  double exponential = 0.1;  // Chance of the exponential shape.
  // Whether an exponential course falls to 0, like a duality gap, instead of to a floor.
  bool to_nothing = false;
};

class DrawLaws {
 public:
  using Draw = std::vector<double>;  // The parameters, by their places.

  // REQUIRES: versions is not empty and begins with the full one; start > 0 is the metric of the
  // untrained model.
  DrawLaws(std::vector<VersionGuess> versions, double start, ShapeLaw shape,
           std::optional<WorkersLaw> workers);

  // Number of parameters of a draw for this many versions, without those of attempts. The workers'
  // parameter is the last one.
  [[nodiscard]] static std::size_t parameters(std::size_t versions, bool workers_matter);
  // The same for these versions: the place of the first attempt's effect.
  [[nodiscard]] std::size_t parameters() const;

  // The subject of a parameter.
  struct Subject {
    enum class Kind : std::uint8_t { kAll, kVersion, kWorkers, kAttempt };
    Kind kind = Kind::kAll;
    std::size_t index = 0;  // Number of the version or the attempt.
  };
  [[nodiscard]] Subject subject_of(std::size_t place) const;

  // The course of an attempt with this effect (A) that begins with this version. `workers_log`: as
  // in SeenPass.
  [[nodiscard]] LearningCourse course(const Draw& draw, std::uint32_t version, double effect,
                                      double workers_log) const;
  // Factor on the passes that the same progress takes, if the logarithm of the number of workers
  // changes by `change`.
  [[nodiscard]] double workers_factor(const Draw& draw, double change) const;
  // The spread of the effects of attempts, and the effect of one of them.
  [[nodiscard]] double effect_sd(const Draw& draw) const;
  [[nodiscard]] double effect_of(const Draw& draw, std::uint32_t attempt) const;
  // Chance that an attempt never learns.
  [[nodiscard]] double stuck(const Draw& draw) const;
  // Passes that a change of version costs.
  [[nodiscard]] double passes_of_change(const Draw& draw) const;
  // The metric of the untrained model.
  [[nodiscard]] double start() const { return start_; }

 private:
  [[nodiscard]] bool workers_matter() const { return workers_.has_value(); }
  [[nodiscard]] double workers_power(const Draw& draw) const;

  std::vector<VersionGuess> versions_;
  double start_;
  ShapeLaw shape_;
  std::optional<WorkersLaw> workers_;
};

}  // namespace surety::plan
