// A network with given parameters, and the scores that it computes, for tests.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "model/torch/network.h"

namespace surety::model {
namespace scores_test {

inline TorchNetwork network_of(const NetSpec& spec, std::span<const float> parameters) {
  set_torch_threads(1);
  TorchNetwork network(spec);
  std::ranges::copy(parameters, network.parameters().begin());
  return network;
}

inline std::vector<float> scores_of(TorchNetwork& network, std::span<const float> inputs) {
  const Input& input = network.spec().input;
  std::vector<float> scores(inputs.size() / input.features() * input.classes);
  network.predict(inputs, scores);
  return scores;
}

}  // namespace scores_test
}  // namespace surety::model
