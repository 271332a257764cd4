// How a run was started: by `surety run`, `profile` or `train`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace surety::orchestrator {

enum class RunMode : std::uint8_t { kRun, kProfile, kTrain };

inline constexpr std::array kRunModes{RunMode::kRun, RunMode::kTrain, RunMode::kProfile};

// The name in commands and in journals, for example "run".
[[nodiscard]] constexpr const char* name_of(RunMode mode) {
  switch (mode) {
    case RunMode::kProfile:
      return "profile";
    case RunMode::kTrain:
      return "train";
    case RunMode::kRun:
      break;
  }
  return "run";
}

[[nodiscard]] constexpr std::optional<RunMode> run_mode_named(std::string_view name) {
  for (const RunMode mode : kRunModes) {
    if (name == name_of(mode)) return mode;
  }
  return std::nullopt;
}

}  // namespace surety::orchestrator
