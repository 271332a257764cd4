// The commands of the surety program, one file for each. A command adds itself to the command line.
// If the user chose this command, `chosen` becomes the action that runs it and returns the exit
// code.
#pragma once

#include <functional>
#include <memory>

#include "learn/linear/model/predictor.h"
#include "learn/network/network_file.h"
#include "learn/task.h"

namespace CLI {
class App;
}  // namespace CLI

namespace surety::cli {

using Action = std::function<int()>;

// Makes a predictor for a trained network, in a program that has libtorch. It is empty in a program
// without libtorch. Such a program starts surety-worker to predict.
using NetworkPredictors =
    std::function<std::unique_ptr<learn::Predictor>(learn::TrainedNetwork network)>;

void add_run(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_profiles(CLI::App& app, Action& chosen);
void add_train(CLI::App& app, Action& chosen);
void add_plan(CLI::App& app, Action& chosen);
void add_predict(CLI::App& app, Action& chosen, NetworkPredictors networks = {});
void add_sim(CLI::App& app, Action& chosen);
void add_invite(CLI::App& app, Action& chosen);
void add_worker(CLI::App& app, Action& chosen);
void add_standby(CLI::App& app, Action& chosen);
void add_status(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_prove(CLI::App& app, Action& chosen);
void add_witness(CLI::App& app, Action& chosen);
void add_cosign(CLI::App& app, Action& chosen);
void add_keys(CLI::App& app, Action& chosen);
// Adds a hidden command, which `surety run` and `surety verify` start as a process. `factory` makes
// the tasks that the program can measure.
void add_measure(CLI::App& app, Action& chosen, learn::TaskFactory factory);
// The same for linear models.
void add_measure(CLI::App& app, Action& chosen);

// Adds the options that `surety worker` and `surety-worker` have in common. `factory` makes the
// tasks that the program can train. With `may_replace_program`, a job that needs libtorch replaces
// this program by the surety-worker beside it.
void add_worker_options(CLI::App& command, Action& chosen, learn::TaskFactory factory,
                        bool may_replace_program);

}  // namespace surety::cli
