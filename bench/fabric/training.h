// Workers that train, or act as if they did, by one of three ways: our exchange, a naive parameter
// server (every worker sends its update to host 0 and gets the model back, all at once), and a ring
// (synchronous all-reduce). Computing takes the time that it is told to, whatever the machine does.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/core/types.h"
#include "fabric/round.h"

namespace surety::bench {

// What a worker computes between two looks at the network.
class Learner {
 public:
  virtual ~Learner() = default;
  // Of the model's size.
  [[nodiscard]] virtual std::vector<float> first_model() = 0;
  // One step: changes the local model.
  [[nodiscard]] virtual Result<void> step(std::span<float> model) = 0;
  // Nothing where it has none.
  [[nodiscard]] virtual Result<std::optional<double>> loss(std::span<const float> model) = 0;
};

// One of `elements` values, which adds value_of(host, i) in each step: sums are exact.
[[nodiscard]] std::unique_ptr<Learner> make_counting_learner(std::uint32_t host,
                                                             std::uint64_t elements);

// Runs a job: {"way", "id", "workers": [id...], "seconds", "warm_s", "step_s", "spread",
// "slowness", "seed", "mode", "quorum", "overlap", "weight", "owners", "blocks", "target"}; answers
// with
// {"steps", "updates", "data_bytes", "control_bytes", "curve": [[seconds, loss]...], "model"}.
[[nodiscard]] Result<nlohmann::json> train(const nlohmann::json& job, fabric::HostId self,
                                           fabric::Rounds& rounds,
                                           const std::map<fabric::HostId, fabric::PeerId>& peers,
                                           Learner& learner);

}  // namespace surety::bench
