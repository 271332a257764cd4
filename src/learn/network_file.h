// A trained network as a file that is enough to compute it: safetensors under PyTorch's names
// (model/model_file.h), and in the metadata what the tensors alone do not say.
//
//   network  a name of the zoo: lenet5
//   version  full, or prune:0.5: which of its channels there are
//   input    channels x height x width of a sample: 1x28x28; of a table 1x1xFEATURES
//   classes  10
//   weights  averaged: over the last iterations of training (learn/weight_average.h); without this
//            entry they are as they were at its end
//   values   bytes: images of 0..255, which are read as (x / 255 - 0.5) / 0.5; numbers: as they are
//
// Pure functions; no libtorch.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/sample.h"
#include "model/net_spec.h"

namespace surety::learn {

struct TrainedNetwork {
  model::NetSpec spec;  // Of its version, with its input and classes.
  std::string version = "full";
  std::vector<float> parameters;  // In the layout of spec.
  bool reads_bytes = true;
  bool averaged = false;
};

[[nodiscard]] std::vector<std::byte> write_network(const TrainedNetwork& network);

// Whether these bytes say that they are a network, or anything that is no linear model; false, too,
// where they are no safetensors.
[[nodiscard]] bool is_network_file(std::string_view bytes);

// Corrupt: no safetensors, cut off. InvalidInput, with file, found and expected: no network, one
// that the zoo lacks, metadata that is missing or makes no sense, tensors of another shape.
// ENSURES: a valid spec, and parameters of its layout.
[[nodiscard]] Result<TrainedNetwork> read_network(std::string_view file, std::string_view bytes);

// InvalidInput, with found and expected, where samples of this schema are no input of the network.
// A table or sparse rows may be read by a network of numbers, images of bytes by one of bytes.
[[nodiscard]] Result<void> check_input(const TrainedNetwork& network, const data::Schema& schema);

}  // namespace surety::learn
