#include "real_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kPassesMax = 200;  // A decider that never stops is a bug.

// Writes the places of the passes as "A*2/B*1".
class Diary {
 public:
  void add(const Place& place) {
    if (passes_ == 0 || place != place_) write(), place_ = place, passes_ = 0;
    ++passes_;
  }
  [[nodiscard]] std::string finish() {
    write();
    return std::move(text_);
  }

 private:
  void write() {
    if (passes_ == 0) return;
    text_ +=
        fmt::format("{}{}@{}*{}", text_.empty() ? "" : "/", place_.version, place_.node, passes_);
  }

  std::string text_;
  Place place_;
  std::uint32_t passes_ = 0;
};

}  // namespace

Result<RealRun> run_once(const World& world, const RealPromise& promise, Decider& decider,
                         std::uint32_t seed, const MeasureAt& measure_at) {
  RealRun run;
  run.seed = seed;
  Place place = decider.begin();
  Path path(place.version);
  Diary diary;
  Point kept;
  const auto spend = [&](double seconds) {
    run.seconds += seconds;
    run.cost += seconds * world.price_per_s(place.node);
  };
  while (true) {
    SURETY_CHECK(++run.passes <= kPassesMax);
    const double pass_s = world.pass_s(place, seed, run.passes);
    spend(pass_s);
    path = path.then(place.version);
    diary.add(place);
    SURETY_TRY(const Point point, measure_at(seed, path));
    if (run.passes == 1 || point.metric < kept.metric) kept = point;
    const Answer answer = decider.next({.pass = run.passes,
                                        .seconds = run.seconds,
                                        .seconds_left = promise.deadline_s - run.seconds,
                                        .pass_s = pass_s,
                                        .metric = point.metric,
                                        .metric_se = point.metric_se});
    if (const auto* stop = std::get_if<StopNow>(&answer)) {
      run.target_met = stop->target_met ? 1 : 0;
      if (stop->target_met) kept = point;
      break;
    }
    const Place next = std::get<TrainAt>(answer).place;
    const double switch_s = world.switch_s(place, next);
    place = next;
    spend(switch_s);
  }
  spend(world.certify_s());
  run.metric = kept.metric;
  run.certify_metric = kept.certify_metric;
  run.kept = run.seconds <= promise.deadline_s && kept.certify_metric <= promise.target ? 1 : 0;
  run.path = diary.finish();
  return run;
}

}  // namespace surety::bench
