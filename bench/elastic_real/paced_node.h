// A node of a given speed: a normal worker process whose computing takes a stated time. So many
// nodes fit on one machine, and still wait for each other as if each had its own machine. Reading,
// moving, summing and control take their real time.
#pragma once

#include <string>
#include <vector>

namespace surety::bench {

// The command that starts this program as such a node, without the address of the run
// (TrainingRun::join()). `row_s` is the seconds of visiting a row. Evaluating a row for the duality
// gap takes half of that, which is about the ratio of a normal worker.
[[nodiscard]] std::vector<std::string> paced_node_command(double row_s);

// Whether this program was started as such a node. Then main() must return the result of
// run_paced_node().
[[nodiscard]] bool is_paced_node(int argc, char** argv);
[[nodiscard]] int run_paced_node(int argc, char** argv);

}  // namespace surety::bench
