// The address and the token of a run's coordinator. If a coordinator is lost, its workers find the
// next coordinator of the run by this file. A coordinator that workers can join writes the file
// when it begins. The file is removed when the run has ended. A run that was stopped keeps it for
// --resume.
//
// RUN/coordinator.json, readable by its user only:
// {"address": "10.0.0.1:41234", "token": "...", "term": 1}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace surety::runtime {

struct CoordinatorFile {
  std::string address;  // HOST:PORT or unix:PATH
  std::string token;
  std::uint32_t term = 1;  // Term of the coordinator.
};

// Errors: those of posix::write_secret_file().
[[nodiscard]] Result<void> write_coordinator_file(const std::filesystem::path& run,
                                                  const CoordinatorFile& file);
// Nothing if there is no file: then no worker could ever join. InvalidInput if the file cannot be
// read or does not parse, if the address or the token is empty, or if there is no term. The user
// has to act: each error says how the run can be resumed.
[[nodiscard]] Result<std::optional<CoordinatorFile>> read_coordinator_file(
    const std::filesystem::path& run);
// To be called when the run has ended, because its token is no longer needed.
void remove_coordinator_file(const std::filesystem::path& run);

}  // namespace surety::runtime
