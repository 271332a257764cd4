// A node of a given speed: a worker process as any other, except that its computing takes a stated
// time. So many nodes fit on one machine, and what they wait for is what they would wait for on
// machines of their own; reading, moving, adding up and control take what they take.
#pragma once

#include <string>
#include <vector>

namespace surety::bench {

// How this program is started as such a node, but for where it joins (TrainingRun::join()).
// `row_s`: of visiting a row. Evaluating it for the duality gap takes half of that, about as it
// does where nothing is stated.
[[nodiscard]] std::vector<std::string> paced_node_command(double row_s);

// Is that how it was started? Then main() is to return what run_paced_node() does.
[[nodiscard]] bool is_paced_node(int argc, char** argv);
[[nodiscard]] int run_paced_node(int argc, char** argv);

}  // namespace surety::bench
