// bench_plan [--only MEASURE] [--quick] [--out FILE]: measures whether the planner keeps its
// promises, and its costs compared with other planners on the same work.
//
//   closed_vs_open, closed_vs_blind, closed_vs_sequential    cost at equal realised success of
//     fixed schedules that are paid to their end, that stop early, and of nodes chosen per version
//     before the schedule; the worst promise from 0.9 on
//   closed_vs_lp       cost beside the bound of the masked linear program
//   depl_vs_exact      cost of DepL's open loop beside the exact optimum of fixed schedules
//   success_080 ... success of issued plans, over profiles drawn from known laws
//   coverage_S4 ...    share of issued plans that truly keep the promise, if the laws have the
//     planner's shape, and (.../other_shape) if they have not; the bound is 0.9 less three
//     standard errors
//   margin_cost_S20 extra cost of certifying compared with trusting the fitted laws
//   impossible_refused share of profiles for which an impossible promise is refused
//   scale_1e5, replan  seconds of planning at scale; milliseconds of a running job's new plan
//   refuse             seconds of refusing a promise that no plan keeps (refuse.yaml)
//   noise              success of stopping by filtered and by bare evaluations
#include "measures.h"

int main(int argc, char** argv) {
  using namespace surety::bench;
  const Options options =
      parse_options("Whether plans keep their promises, and at what cost", argc, argv);
  Report report;
  compare_on_spot_mix(options, report);
  compare_with_bound(options, report);
  compare_depl(options, report);
  measure_success(options, report);
  measure_coverage(options, report);
  measure_scale(options, report);
  measure_replan(options, report);
  measure_refuse(options, report);
  measure_noise(options, report);
  return report.write(options) ? 0 : 1;
}
