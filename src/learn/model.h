// What is learned, as it travels: between the workers of a task, and to and from checkpoints.
#pragma once

#include <string>
#include <vector>

namespace surety::learn {

// A model as it is merged, sent and stored: a version name and flat parameters (batch-norm running
// statistics included). A pruned version also keeps the full model that it was cut from: what was
// pruned away is frozen there, and comes back when the version is switched to full again.
struct Model {
  std::string version = "full";  // full, prune:F
  std::vector<float> parameters;
  // Parameters of the full model; empty while version == "full". Of a GLM with an L1 norm: the
  // centre, and then the weights (glm_penalty.h); empty where there is none.
  std::vector<float> parent;
  // Of the outer momentum, one for each parameter; empty without it. The same on all workers, as
  // the parameters are.
  std::vector<float> velocity;
  // The parameters averaged over the last iterations (learn/weight_average.h), which is what is
  // evaluated and kept; training goes on from the parameters. Empty: there is no average. The same
  // on all workers, as the parameters are.
  std::vector<float> average{};

  // What is evaluated and kept.
  [[nodiscard]] const std::vector<float>& kept() const {
    return average.empty() ? parameters : average;
  }
};

}  // namespace surety::learn
