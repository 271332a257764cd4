// Workers that train, or behave as if they did, in one of three ways: our exchange, a naive
// parameter server, and a ring (synchronous all-reduce). With the naive server, every worker sends
// its update to host 0 and gets the model back, all at once.
#pragma once

#include <map>

#include "bench/fabric/trainer.h"

namespace surety::bench {

// Runs a job:
// {"way", "id", "workers": [id...], "world" (script.h), "seconds", "warm_s", "overlap",
// "local_steps" (in a round of the ring), "weight", "owners", "blocks"}.
// Returns the answer:
// {"steps", "updates", "data_bytes", "control_bytes", "curve": [[seconds, loss]...], "model"}.
[[nodiscard]] Result<nlohmann::json> train(const nlohmann::json& job, WorkerId self,
                                           fabric::Rounds& rounds,
                                           const std::map<WorkerId, fabric::PeerId>& peers,
                                           Learner& learner);

}  // namespace surety::bench
