// Where a run's coordinator listens and what its workers must say: written while it runs, so that
// whoever resumes the run can be found by the workers that it left behind, and so that workers find
// whoever takes it over.
//
// RUN/coordinator.json, readable by its user only:
// {"address": "127.0.0.1:41234", "token": "...", "epoch": 1}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace surety::runtime {

struct CoordinatorFile {
  std::string address;  // HOST:PORT
  std::string token;
  std::uint32_t epoch = 0;  // Of the coordinator; 0: it does not say.
};

[[nodiscard]] Result<void> write_coordinator_file(const std::filesystem::path& run,
                                                  const CoordinatorFile& file);
// Nothing where there is none: no worker could ever join. Corrupt where it does not parse.
[[nodiscard]] Result<std::optional<CoordinatorFile>> read_coordinator_file(
    const std::filesystem::path& run);
// The run has ended: its secret is of no more use.
void remove_coordinator_file(const std::filesystem::path& run);

}  // namespace surety::runtime
