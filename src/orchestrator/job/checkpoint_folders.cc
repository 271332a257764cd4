#include "orchestrator/job/checkpoint_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

namespace surety::orchestrator {

CheckpointFolders::CheckpointFolders(std::string folder, std::uint32_t term)
    : folder_(std::move(folder)) {
  if (term > 1) folder_ += fmt::format("/coordinator-{}", term);
}

std::string CheckpointFolders::next(const std::string& name) {
  const std::string folder = folder_ + "/" + name;
  const std::uint32_t before = saves_[name]++;
  return before == 0 ? folder : fmt::format("{}-again-{}", folder, before);
}

bool CheckpointFolders::may_name(const std::string& relative) {
  static const std::regex kName(
      "(coordinator-[0-9]+/)?(attempt-[0-9]+-)?pass-[0-9]+(-again-[0-9]+)?");
  return std::regex_match(relative, kName);
}

std::vector<std::string> CheckpointFolders::left_over(const std::vector<std::string>& found,
                                                      const std::set<std::string>& kept) {
  const auto is_kept = [&](const std::string& folder) {
    return std::ranges::any_of(kept, [&](const std::string& one) {
      return one == folder || one.starts_with(folder + "/");
    });
  };
  std::vector<std::string> result;
  for (const std::string& folder : found) {
    if (may_name(folder) && !is_kept(folder)) result.push_back(folder);
  }
  return result;
}

}  // namespace surety::orchestrator
