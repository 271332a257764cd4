#include "fabric/scheduler/block_versions.h"

#include <cmath>

namespace surety::fabric {

void BlockVersions::commit(Time now, std::uint32_t block, std::size_t updates) {
  const double age_s = to_seconds(now - commits_at_) / 2;
  const double whole = static_cast<double>(updates) / static_cast<double>(versions_.size());
  commits_per_s_ = commits_per_s_ * std::exp(-age_s) + whole / 2;
  commits_at_ = now;
  versions_[block] += updates;
  committed_ += updates;
}

}  // namespace surety::fabric
