// Compares two rules to stop: at the first evaluation that reaches the target, and at the first
// checkpoint that is likely enough to reach it on other samples too (the winner's curse).
#include <memory>

#include "measures.h"
#include "plan/closed_loop/calibrate.h"
#include "plan/closed_loop/closed_loop.h"
#include "realised.h"
#include "test/support/plan/reference_instance.h"

namespace surety::bench {
namespace {

using namespace plan;

constexpr double kOmega = 0.95;

Setting with_error(Setting setting, double evaluation_se) {
  setting.evaluation_se = evaluation_se;
  return setting;
}

// A policy that is calibrated on the laws that it believes in.
std::shared_ptr<const ClosedLoop> policy_of(const Setting& believed, bool quick) {
  const auto model = std::make_shared<const ClosedLoopModel>(
      believed,
      ClosedLoopOptions{
          .grid = quick ? MdpOptions{30, 60} : MdpOptions{100, 360}, .classes = 1, .mask = {}});
  return calibrate(model, kOmega, {}, {.seed = kTuningSeed, .runs = quick ? 200u : 4000u}).policy;
}

}  // namespace

void measure_noise(const Options& options, Report& report) {
  if (!options.wants("noise")) return;
  const std::uint32_t runs = options.quick ? 300 : 20'000;
  const Setting exact = reference::spot_mix();
  const auto naive = policy_of(exact, options.quick);
  const Realised without = realise(exact, *naive, kFinalSeed, runs);
  print_line("noise", "none: success {:.4f}, cost {:.1f}", without.probability, without.cost);
  for (const double error : {0.001, 0.002, 0.005, 0.01}) {
    const Setting world = with_error(exact, error);
    const Realised bare = realise(world, *naive, kFinalSeed, runs);
    const Realised ours = realise(world, *policy_of(world, options.quick), kFinalSeed, runs);
    print_line("noise",
               "{}: success {:.4f}, cost {:.1f}; first evaluation success {:.4f}, cost "
               "{:.1f}",
               error, ours.probability, ours.cost, bare.probability, bare.cost);
    if (error == 0.005) {
      report.add({"noise",
                  "share kept",
                  {ours.probability},
                  {{"first evaluation", {bare.probability}}, {"promised", {kOmega}}}});
    }
  }
}

}  // namespace surety::bench
