// Real end-to-end runs of every planner, and what came of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/report.h"
#include "planners.h"
#include "real_run.h"

namespace surety::bench {

struct RunOptions {
  std::uint32_t runs = 60;
  std::uint32_t first_seed = 1001;  // Profiles have lower ones.
};

// Seed by seed, every planner. Nothing is trained twice, so a study that was killed goes on where
// it was. `results` gets a row per run, written again after each seed.
[[nodiscard]] Result<std::vector<RealRun>> run_study(const World& world, const RealPromise& promise,
                                                     const std::vector<Planned>& planners,
                                                     const RunOptions& options,
                                                     const MeasureAt& measure_at,
                                                     const std::filesystem::path& results);

// What the runs of one planner came to.
struct Kept {
  std::uint32_t kept = 0, runs = 0;
  double low = 0, high = 0;  // 95 % interval of the share (Clopper and Pearson 1934).
  double cost_mean = 0, cost_se = 0;
};
[[nodiscard]] Kept kept_of(const std::vector<RealRun>& runs, const std::string& planner);

// Prints the table, for people.
void print_table(const std::vector<Planned>& planners, const std::vector<RealRun>& runs);

// real_NAME: mean cost; real_NAME/kept: share that kept the promise. Ours is the first planner.
void report_runs(const std::string& study, const std::vector<Planned>& planners,
                 const std::vector<RealRun>& runs, Report& report);

}  // namespace surety::bench
