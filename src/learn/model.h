// The state of training, as it is sent between the workers of a task, and written to checkpoints.
#pragma once

#include <string>
#include <vector>

namespace surety::learn {

// A model as it is merged, sent and stored: the name of a version and flat parameters, including
// running statistics of batch norm. A pruned version also keeps the full model from which it was
// cut. The removed values do not change there, and are used again when the model is switched to
// full.
struct Model {
  std::string version = "full";  // full or prune:F
  std::vector<float> parameters;
  // Parameters of the full model; empty if version == "full". For a GLM with an L1 norm: the
  // centre, which then holds the weights (learn/linear/solver/glm_penalty.h); empty if there is no
  // centre.
  std::vector<float> parent;
  // Velocity of the outer momentum, one value for each parameter; empty without outer momentum.
  // Equal on all workers, like the parameters.
  std::vector<float> velocity;
  // The parameters averaged over the last iterations (learn/network/weight_average.h), which are
  // evaluated and kept, while training continues from `parameters`. Empty if there is no average.
  // Equal on all workers, as the parameters are.
  std::vector<float> average{};

  // The values that are evaluated and kept.
  [[nodiscard]] const std::vector<float>& kept() const {
    return average.empty() ? parameters : average;
  }
};

}  // namespace surety::learn
