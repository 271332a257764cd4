// The names of files in a run's folder. Nothing here opens a file.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace surety::orchestrator::run_folder {

inline constexpr std::string_view kJob = "job.yaml";     // It holds Job::text.
inline constexpr std::string_view kProfile = "profile";  // A folder (plan/files).
inline constexpr std::string_view kPlan = "plan.json";
inline constexpr std::string_view kJournal = "journal.log";
// A coordinator that workers can join writes this file when it begins. The file is removed when the
// run has ended, and a run that was stopped keeps it for --resume.
inline constexpr std::string_view kCoordinator = "coordinator.json";
// This file is written and removed with coordinator.json, and only this user may read it.
inline constexpr std::string_view kToken = "token";
// A folder that exists while the run has not ended (runtime/invitation/invitation_list.h).
inline constexpr std::string_view kInvitations = "invitations";
inline constexpr std::string_view kLog = "coordinator.log";      // The coordinator's log.
inline constexpr std::string_view kMetrics = "metrics.csv";      // One line per evaluation.
inline constexpr std::string_view kCheckpoints = "checkpoints";  // This is a folder.
inline constexpr std::string_view kModel = "model.safetensors";  // The certified model.
// The certified model again, if it is linear.
inline constexpr std::string_view kLiblinearModel = "model.liblinear";
inline constexpr std::string_view kCertificate = "certificate.json";
inline constexpr std::string_view kReport = "report.html";
// The result files of a run: they are made durable, and signed.
inline constexpr std::array kResults{kCertificate, kReport, kModel, kLiblinearModel};
inline constexpr std::string_view kSignedResults = "results.signed";  // The other files' digests.

// The last checkpoint of the journal that a witness has signed: "witnessed-8d3f2b1c.signed", with
// a number for the URL of the witness.
inline constexpr std::string_view kWitnessed = "witnessed-";
[[nodiscard]] inline std::string witnessed_file(std::uint32_t number) {
  return fmt::format("{}{:08x}.signed", kWitnessed, number);
}

// "RUN/plan.json"; an empty `run` means the working folder.
[[nodiscard]] inline std::string in(std::string_view run, std::string_view name) {
  if (run.empty()) return std::string(name);
  return fmt::format("{}{}{}", run, run.back() == '/' ? "" : "/", name);
}

}  // namespace surety::orchestrator::run_folder
