// Real end-to-end runs of every planner under several promises, and what they came to.
//
// Planners are compared at equal success (judge.h): each plans for several probabilities, and a
// mixture of its plans is chosen on one half of the seeds and judged on the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/report.h"
#include "judge.h"
#include "planners.h"
#include "real_run.h"

namespace surety::bench {

struct StudyOptions {
  std::vector<double> deadlines_s;
  // Ours is compared at `compared`, one of them.
  std::vector<double> probabilities{0.7, 0.8, 0.9, 0.95, 0.98, 0.99};
  double compared = 0.9;
  std::uint32_t runs = 60;          // Of each plan, each from a seed of its own.
  std::uint32_t first_seed = 1001;  // Profiles have lower ones.
};

// What the runs of one plan came to.
struct Kept {
  double deadline_s = 0;
  std::string planner;
  double promised = 0;
  std::uint32_t issued = 0;  // 0: it refused, and this is the best that it could do.
  double predicted = 0;      // Probability, by the planner.
  double predicted_cost = 0;
  std::uint32_t runs = 0, kept = 0;
  double cost_mean = 0, cost_se = 0;
  std::string plan;
  SeedRuns by_seed;  // Not in the file.

  [[nodiscard]] double share() const { return runs > 0 ? 1.0 * kept / runs : 0; }
};

// Makes all plans, then runs them seed by seed. What was trained is not trained again, so a study
// that was killed goes on where it was.
[[nodiscard]] Result<std::vector<Kept>> run_study(const World& world, double target,
                                                  const plan::Profile& profile,
                                                  const StudyOptions& options,
                                                  const MeasureAt& measure_at);

[[nodiscard]] std::string to_csv(const std::vector<Kept>& rows);

// Tables, for people: of each deadline, and of all those together for which ours made the promise.
// The same seeds run at every deadline, so that there intervals count them once.
void print_study(const std::vector<Kept>& rows, const StudyOptions& options);

// real_NAME/DEADLINEs: mean cost, of the others at the share that ours keeps; and
// real_NAME/DEADLINEs/kept.
void report_study(const std::string& study, const std::vector<Kept>& rows,
                  const StudyOptions& options, Report& report);

}  // namespace surety::bench
