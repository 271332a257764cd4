// The folders of checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace surety::orchestrator {

// Names the folders of checkpoints. A delayed worker may write much later, so every model that may
// differ from another has its own folder.
class CheckpointFolders {
 public:
  CheckpointFolders(std::string folder, std::uint32_t term);
  [[nodiscard]] std::string next(const std::string& name);
  // Whether an object of this class may have named this folder: for example "pass-0007" or
  // "coordinator-2/attempt-1-pass-0003-again-1". `relative`: below the folder of all checkpoints.
  [[nodiscard]] static bool may_name(const std::string& relative);
  // The folders that no record names after the end of the run. A failed save leaves such folders,
  // and a delayed worker may write a folder again after it was removed. Folders for which
  // may_name() is false belong to others. `found` and `kept` are paths below the folder of all
  // checkpoints.
  [[nodiscard]] static std::vector<std::string> left_over(const std::vector<std::string>& found,
                                                          const std::set<std::string>& kept);

 private:
  std::string folder_;
  std::map<std::string, std::uint32_t> saves_;  // Checkpoints saved by this coordinator, by name.
};

}  // namespace surety::orchestrator
