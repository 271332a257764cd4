// The runs of a profile: its points, grouped by version, seed and number of nodes.
//
// How a version learns depends on how many workers share the data (local steps, dual updates that
// are averaged), so runs on different numbers of nodes are never combined. A profile row does not
// contain its run. Rows of the same version, seed and data fraction belong to one run until a pass
// number is repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/profile.h"

namespace surety::plan {

struct ProfileRun {
  std::string version;
  std::uint32_t seed = 0;
  double data_fraction = 1;
  // Number of workers in most of its passes (ties: the larger number). It may vary because workers
  // can crash.
  std::uint32_t workers = 0;
  std::vector<CurvePoint> points;  // Sorted by pass.
};

// Sorted by version, fraction, workers and seed. Each combination appears once: if workers crashed,
// so that two runs of a seed have the same number of workers, the run with more points is kept
// (ties: the earlier). Runs of a single point or without a trained pass are left out. The order of
// rows of different runs does not matter. If a seed was run on several numbers of nodes, the rows
// of each run must be in order of passes, ascending or descending. O(rows log rows).
[[nodiscard]] std::vector<ProfileRun> runs_of(const Profile& profile);

// The runs that never learned: they diverged, or stayed near the untrained model. The progress of a
// run is the fall from the lowest untrained metric among all runs to its last point. A run is stuck
// if it makes less than a quarter of the largest progress. (A dead network still learns the shares
// of the labels, which improves on a bad initial model by up to a sixth of the fall. A seed that is
// merely slow, by a factor of up to four, covers a quarter in any convex curve.) If no run makes
// progress, none is stuck. REQUIRES: runs of one version, fraction and number of workers.
[[nodiscard]] std::vector<bool> stuck_runs(const std::vector<const ProfileRun*>& runs);

}  // namespace surety::plan
