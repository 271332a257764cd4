// The runs of a profile: its points sorted out by who trained what, on how many nodes.
//
// How a version learns depends on how many workers share the data (local steps, dual updates that
// are averaged), so runs on different numbers of nodes are never thrown together. A profile row
// does not say which run it is of: rows of the same version, seed and data fraction belong to one
// run until a pass comes again.
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
  // The number that most of its passes were trained on (ties: the larger): workers may have died.
  std::uint32_t workers = 0;
  std::vector<CurvePoint> points;  // Passes ascending.
};

// Sorted by version, fraction, workers and seed; each combination once: where workers died, so that
// two runs of a seed come out alike, the one with more points stays (ties: the earlier). Runs of a
// single point or without a trained pass are left out. The order of the rows of different runs does
// not matter; where a seed was run on several numbers of nodes, those of each run must stand in
// order of passes, up or down. O(rows log rows).
[[nodiscard]] std::vector<ProfileRun> runs_of(const Profile& profile);

// Which of the runs never learned: diverged, or stuck near the untrained model. Progress is the
// fall from the lowest untrained metric among them to the last point; stuck is less than a quarter
// of the largest progress. (A dead network still learns the shares of the labels, which beats a bad
// initial model by up to a sixth of the fall; a seed that merely is slow, by a factor up to four,
// covers a quarter in any convex curve.) Nobody is stuck where nobody makes progress.
// REQUIRES: runs of one version, fraction and number of workers.
[[nodiscard]] std::vector<bool> stuck_runs(const std::vector<const ProfileRun*>& runs);

}  // namespace surety::plan
