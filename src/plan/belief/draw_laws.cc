#include "plan/belief/draw_laws.h"

#include <cmath>
#include <utility>

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
// because it has fewer parameters.
constexpr double kFloorOfPasses = 0.6;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

DrawLaws::DrawLaws(std::vector<VersionGuess> versions, double start, ShapeLaw shape,
                   std::optional<WorkersLaw> workers)
    : versions_(std::move(versions)), start_(start), shape_(shape), workers_(workers) {
  SURETY_CHECK(!versions_.empty() && start_ > 0);
}

std::size_t DrawLaws::parameters(std::size_t versions, bool workers_matter) {
  return kCommon + kPerVersion * versions + (workers_matter ? 1 : 0);
}

std::size_t DrawLaws::parameters() const { return parameters(versions_.size(), workers_matter()); }

DrawLaws::Subject DrawLaws::subject_of(std::size_t place) const {
  const std::size_t of_attempts = parameters();
  if (place < kCommon) return {.kind = Subject::Kind::kAll, .index = 0};
  if (place >= of_attempts) return {.kind = Subject::Kind::kAttempt, .index = place - of_attempts};
  if (workers_matter() && place + 1 == of_attempts) {
    return {.kind = Subject::Kind::kWorkers, .index = 0};
  }
  return {.kind = Subject::Kind::kVersion, .index = (place - kCommon) / kPerVersion};
}

double DrawLaws::workers_power(const Draw& draw) const {
  return workers_ ? workers_->mean + workers_->sd * draw[parameters() - 1] : 0;
}

double DrawLaws::workers_factor(const Draw& draw, double change) const {
  return std::exp(workers_power(draw) * change);
}

LearningCourse DrawLaws::course(const Draw& draw, std::uint32_t version, double effect,
                                double workers_log) const {
  const double* own = &draw[kCommon + kPerVersion * version];
  const double passes_log = std::log(versions_[version].passes);
  LearningCourse course;
  course.start = start_;
  course.exponential = draw[kShape] < normal_quantile(shape_.exponential);
  const double floor = logistic(kFloorOdds.middle + kFloorOdds.sd * draw[kFloor] +
                                kFloorOfPasses * passes_log + kOwnFloorSd * own[kOwnFloor]);
  course.floor = course.exponential && shape_.to_nothing ? floor * 1e-9 : floor;
  course.scale =
      std::exp(kScaleLog.middle + kScaleLog.sd * draw[kScale] + passes_log +
               kOwnScaleSd * own[kOwnScale] - effect + workers_power(draw) * workers_log);
  course.power =
      std::exp(kPowerLog.middle + kPowerLog.sd * draw[kPower] + kOwnPowerSd * own[kOwnPower]);
  course.tail = std::exp(kTailLog.middle + kTailLog.sd * draw[kTail] + kOwnTailSd * own[kOwnTail]);
  course.jitter = std::exp(kJitterLog.middle + kJitterLog.sd * draw[kJitter]);
  return course;
}

double DrawLaws::effect_sd(const Draw& draw) const {
  return std::exp(kEffectLog.middle + kEffectLog.sd * draw[kEffect]);
}

double DrawLaws::effect_of(const Draw& draw, std::uint32_t attempt) const {
  return effect_sd(draw) * draw[parameters() + attempt];
}

double DrawLaws::stuck(const Draw& draw) const {
  return logistic(kStuckOdds.middle + kStuckOdds.sd * draw[kStuck]);
}

double DrawLaws::passes_of_change(const Draw& draw) const {
  return std::exp(kJumpLog.middle + kJumpLog.sd * draw[kJump]);
}

}  // namespace surety::plan
