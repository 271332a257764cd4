// The commands of the surety program, one file for each. A command adds itself to the command line.
// If the user chose it, its action runs the command and returns the exit code.
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
inline constexpr int kKept = 0;   // Also for a command that has no promise to keep and succeeded.
inline constexpr int kUsage = 1;  // The command line, the job file or the data are wrong.
inline constexpr int kInfeasible = 2;     // No plan keeps the promise.
inline constexpr int kMissed = 3;         // The promise was not kept.
inline constexpr int kFailed = 4;         // Surety or the machine failed.
inline constexpr int kTakenOver = 5;      // Another coordinator leads the run now.
inline constexpr int kInterrupted = 130;  // A signal stopped the run; it can be resumed.

using Action = std::function<int()>;

// Makes a predictor for a trained network, in a program that has libtorch. It is empty in a program
// without libtorch, which then starts surety-worker beside it to predict.
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

// Adds the options that `surety worker` and `surety-worker` have in common. `factory` makes the
// tasks that the program can train. With `may_hand_over`, a job that needs libtorch is handed over
// to the surety-worker beside this program.
void add_worker_options(CLI::App& command, Action& chosen, learn::TaskFactory factory,
                        bool may_hand_over);

}  // namespace surety::cli
