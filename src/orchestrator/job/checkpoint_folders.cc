#include "orchestrator/job/checkpoint_folders.h"

#include <fmt/format.h>

#include <utility>

namespace surety::orchestrator {

CheckpointFolders::CheckpointFolders(std::string folder, std::uint32_t epoch)
    : folder_(std::move(folder)) {
  if (epoch > 1) folder_ += fmt::format("/coordinator-{}", epoch);
}

std::string CheckpointFolders::next(const std::string& name) {
  const std::string folder = folder_ + "/" + name;
  const std::uint32_t before = saves_[name]++;
  return before == 0 ? folder : fmt::format("{}-again-{}", folder, before);
}

}  // namespace surety::orchestrator
