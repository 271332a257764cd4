// The exit codes of the programs, as `surety --help` documents them.
#pragma once

namespace surety::cli {

inline constexpr int kKept = 0;        // The promise was kept, or a command without one succeeded.
inline constexpr int kUsage = 1;       // The command line, the job file or the data are wrong.
inline constexpr int kInfeasible = 2;  // No plan keeps the promise.
inline constexpr int kMissed = 3;      // The promise was not kept.
inline constexpr int kFailed = 4;      // Surety or the machine failed.
inline constexpr int kTakenOver = 5;   // Another coordinator leads the run now.
inline constexpr int kInterrupted = 130;  // A signal stopped the run; it can be resumed.

}  // namespace surety::cli
