// Real end-to-end runs of every planner under several promises, and their results.
//
// Planners are compared at equal success (judge.h). Each one plans for several probabilities. A
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
  // Ours is compared at the probability `compared`, which is one of these.
  std::vector<double> probabilities{0.7, 0.8, 0.9, 0.95, 0.98, 0.99};
  double compared = 0.9;
  std::uint32_t runs = 60;          // Runs of each plan, each with a seed of its own.
  std::uint32_t first_seed = 1001;  // The seeds of profiles are lower.
};

// The results of one plan's runs.
struct Kept {
  double deadline_s = 0;
  std::string planner;
  double promised = 0;
  // 0 means that the planner refused, and this is its best plan.
  std::uint32_t issued = 0;
  double predicted = 0;  // Probability that the planner predicts.
  double predicted_cost = 0;
  std::uint32_t runs = 0;
  std::uint32_t kept = 0;
  double cost_mean = 0;
  double cost_se = 0;
  std::string plan;
  SeedRuns by_seed;  // They are not written to the CSV file.

  [[nodiscard]] double share() const { return runs > 0 ? 1.0 * kept / runs : 0; }
};

// Makes all plans, then runs them seed by seed. No training is repeated, so a killed study
// continues at the same point.
[[nodiscard]] Result<std::vector<Kept>> run_study(const World& world, double target,
                                                  const plan::Profile& profile,
                                                  const StudyOptions& options,
                                                  const MeasureAt& measure_at);

[[nodiscard]] std::string to_csv(const std::vector<Kept>& rows);

// Prints tables for people: one for each deadline, and one for all deadlines together for which
// ours made the promise. The same seeds run at every deadline, so the intervals of that table count
// them once.
void print_study(const std::vector<Kept>& rows, const StudyOptions& options);

// Reports real_NAME/DEADLINEs, the mean cost (of the others at the share that ours keeps), and
// real_NAME/DEADLINEs/kept.
void report_study(const std::string& study, const std::vector<Kept>& rows,
                  const StudyOptions& options, Report& report);

}  // namespace surety::bench
