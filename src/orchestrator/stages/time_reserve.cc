#include "orchestrator/stages/time_reserve.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace surety::orchestrator {
namespace {

// A start takes longer if the machine has other work or if libraries are read from the disk. One
// measurement does not show how much longer.
constexpr double kStartFactor = 2;

// The price per second of the most expensive `count` nodes.
double highest_price(const plan::Instance& instance, std::uint32_t count) {
  std::vector<plan::NodeType> types = instance.nodes;
  std::ranges::sort(types, std::greater(), &plan::NodeType::price_per_s);
  double sum = 0;
  for (const plan::NodeType& type : types) {
    const std::uint32_t taken = std::min(count, type.count);
    sum += taken * type.price_per_s;
    count -= taken;
  }
  return sum;
}

}  // namespace

double certify_reserve_s(double evaluation_s, double deadline_s) {
  // Loading takes hardly more than a second. But if the deadline is as short as that, some time
  // must remain for training.
  constexpr double kLoadS = 1;
  constexpr double kLoadShare = 0.1;
  return std::min(kLoadS, kLoadShare * deadline_s) + 3 * evaluation_s;
}

plan::Reserved outside_training(const plan::Instance& instance, const plan::Profile& profile,
                                double deadline_s) {
  std::uint32_t workers = 1;
  double start_s = 0;
  for (const plan::StartTime& start : profile.starts) {
    start_s = std::max(start_s, start.seconds);
    workers = std::max(workers, start.workers);
  }
  double evaluation_s = 0;
  for (const plan::CurvePoint& point : profile.curves) {
    evaluation_s = std::max(evaluation_s, point.eval_seconds);
    workers = std::max(workers, point.workers);
  }
  const double seconds = kStartFactor * start_s + certify_reserve_s(evaluation_s, deadline_s);
  return {.seconds = seconds, .cost = seconds * highest_price(instance, workers)};
}

}  // namespace surety::orchestrator
