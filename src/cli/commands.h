// The commands of the surety program, one file each. A command adds itself to the command line, and
// when it was chosen its action returns the exit code.
#pragma once

#include <functional>
#include <memory>

#include "learn/network_file.h"
#include "learn/predictor.h"
#include "learn/task.h"

namespace CLI {
class App;
}  // namespace CLI

namespace surety::cli {

// Exit codes, as `surety --help` documents them.
inline constexpr int kKept = 0;           // Also: done, where there is no promise to keep.
inline constexpr int kUsage = 1;          // Wrong command line, job file or data.
inline constexpr int kInfeasible = 2;     // No plan keeps the promise.
inline constexpr int kMissed = 3;         // The promise was not kept.
inline constexpr int kFailed = 4;         // Something of ours, or of the machine, failed.
inline constexpr int kTakenOver = 5;      // Another coordinator leads the run now.
inline constexpr int kInterrupted = 130;  // Stopped by a signal; the run can be resumed.

using Action = std::function<int()>;

// What a program with libtorch predicts with networks by; empty: one without, which lets
// surety-worker beside it do so.
using NetworkPredictors =
    std::function<std::unique_ptr<learn::Predictor>(learn::TrainedNetwork network)>;

void add_run(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_profiles(CLI::App& app, Action& chosen);
void add_train(CLI::App& app, Action& chosen);
void add_plan(CLI::App& app, Action& chosen);
void add_predict(CLI::App& app, Action& chosen, NetworkPredictors networks = {});
void add_sim(CLI::App& app, Action& chosen);
void add_worker(CLI::App& app, Action& chosen);
void add_standby(CLI::App& app, Action& chosen);
void add_status(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);

// What `surety worker` and `surety-worker` have in common; `factory` says what the program can
// train. With `may_hand_over`, a job that needs libtorch is handed over to surety-worker beside us.
void add_worker_options(CLI::App& command, Action& chosen, learn::TaskFactory factory,
                        bool may_hand_over);

}  // namespace surety::cli
