// The versions of the model's blocks. The version of a block is the number of updates that were
// committed to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace surety::fabric {

// INVARIANT: committed() is the sum of all versions.
class BlockVersions {
 public:
  explicit BlockVersions(std::uint32_t blocks) : versions_(blocks, 0) {}

  // This many updates were committed to the block. REQUIRES: time does not decrease.
  void commit(Time now, std::uint32_t block, std::size_t updates);

  [[nodiscard]] std::uint64_t of(std::uint32_t block) const { return versions_[block]; }
  [[nodiscard]] std::uint64_t committed() const { return committed_; }
  // Whole updates per second at the time of the last commit. The rate decays over two seconds.
  [[nodiscard]] double commits_per_s() const { return commits_per_s_; }

 private:
  std::vector<std::uint64_t> versions_;
  std::uint64_t committed_ = 0;
  double commits_per_s_ = 0;
  Time commits_at_{};
};

}  // namespace surety::fabric
