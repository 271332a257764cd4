#include "bench/studies/recorded.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/posix/file.h"
#include "bench/studies/path.h"

namespace surety::bench {
namespace {

// Rows by version, seed and pass.
template <typename Row>
using Passes = std::map<std::string, std::map<std::uint32_t, std::map<std::uint32_t, Row>>>;

bool is_wanted(std::uint32_t seed, Seeds seeds) {
  return seeds == Seeds::kAll || (seeds == Seeds::kCalibrate) == (seed % 2 == 1);
}

template <typename Row>
Passes<Row> pure_passes(std::vector<Row>& rows, Seeds seeds) {
  Passes<Row> found;
  for (Row& row : rows) {
    const std::optional<Path> path = Path::parse(row.path);
    if (!path || !path->is_pure() || !is_wanted(row.seed, seeds)) continue;
    found[path->version()][row.seed][path->passes()] = std::move(row);
  }
  return found;
}

bool has_passes(const auto& by_pass, std::uint32_t first, std::uint32_t last) {
  bool all = true;
  for (std::uint32_t pass = first; pass <= last; ++pass) all = all && by_pass.contains(pass);
  return all;
}

bool is_complete(const std::map<std::uint32_t, Measured>& measured, std::uint32_t passes) {
  return has_passes(measured, 0, passes);
}

// The older files also hold the runs of plan_real, which did not measure the untrained model. Runs
// with one pass more than required count, so that replays of these files stay the same.
bool is_complete(const std::map<std::uint32_t, Point>& points, std::uint32_t passes) {
  return has_passes(points, 1, passes) && points.size() >= passes + 1;
}

RecordedRun run_of(std::map<std::uint32_t, Point>& points, std::uint32_t passes) {
  RecordedRun run;
  for (std::uint32_t pass = 0; pass <= passes; ++pass) {
    const Point& point = points[pass];
    const PassMetrics& seen =
        run.halves.emplace_back(PassMetrics{point.metric, point.metric_se, point.certify_metric});
    if (pass > 0) run.split += (seen.certify - seen.decide) / seen.decide_se / passes;
  }
  return run;
}

RecordedRun run_of(std::map<std::uint32_t, Measured>& measured, std::uint32_t passes) {
  RecordedRun run;
  for (std::uint32_t pass = 0; pass <= passes; ++pass) run.measured.push_back(measured[pass]);
  return run;
}

template <typename Row>
std::vector<RecordedVersion> complete_runs(std::vector<Row>& rows, std::uint32_t passes,
                                           Seeds seeds) {
  std::vector<RecordedVersion> versions;
  // In the map's order, "full" is first.
  for (auto& [version, by_seed] : pure_passes(rows, seeds)) {
    RecordedVersion recorded{version, {}};
    for (auto& [seed, by_pass] : by_seed) {
      if (is_complete(by_pass, passes)) recorded.runs.push_back(run_of(by_pass, passes));
    }
    versions.push_back(std::move(recorded));
  }
  return versions;
}

}  // namespace

Result<RecordedStudy> read_recorded(const std::string& name, const std::filesystem::path& file,
                                    std::uint32_t passes, Seeds seeds) {
  SURETY_TRY(const std::string text, posix::read_file(file));
  SURETY_TRY(Recording recording, read_recording(file.string(), whole_lines(text)));
  RecordedStudy study{name, {}, passes, 0};
  study.versions = recording.is_older ? complete_runs(recording.halves, passes, seeds)
                                      : complete_runs(recording.measured, passes, seeds);
  if (study.versions.empty()) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run, expected some of {} passes",
                file.string(), passes);
  }
  for (const RecordedVersion& version : study.versions) {
    if (!version.runs.empty()) continue;
    return fail(ErrorCode::kInvalidInput, "{}: {}: found no run of {} passes, expected some",
                file.string(), version.name, passes);
  }
  const RecordedRun& first = study.versions.front().runs.front();
  study.untrained =
      recording.is_older ? first.halves.front().decide : first.measured.front().whole().mean();
  return study;
}

JobDivision::JobDivision(const RecordedStudy& study, Random& random) {
  const std::vector<RecordedRun>& runs = study.versions.front().runs;
  if (runs.front().measured.empty()) {
    split_ = runs[random.below(runs.size())].split;
  } else {
    division_ = draw_halving(random);
  }
}

std::vector<PassMetrics> JobDivision::metrics_of(const RecordedRun& run) const {
  std::vector<PassMetrics> all = run.halves;
  for (PassMetrics& pass : all) {
    const double shift = (split_ - run.split) * pass.decide_se / 2;
    pass.decide -= shift;
    pass.certify += shift;
  }
  for (const Measured& measured : run.measured) {
    const Point point = divide(measured, division_);
    all.push_back({point.metric, point.metric_se, point.certify_metric});
  }
  return all;
}

}  // namespace surety::bench
