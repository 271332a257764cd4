// Where checkpoints are saved.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace surety::orchestrator {

// Names the folders of checkpoints. A delayed worker may write much later, so every model that may
// differ has its own folder.
class CheckpointFolders {
 public:
  CheckpointFolders(std::string folder, std::uint32_t epoch);
  [[nodiscard]] std::string next(const std::string& name);

 private:
  std::string folder_;
  std::map<std::string, std::uint32_t> saves_;  // Checkpoints saved by this coordinator, by name.
};

}  // namespace surety::orchestrator
