// A trained network as a file that contains everything for its computation: safetensors with
// PyTorch's names (model/model_file.h), and metadata for all that the tensors do not show.
//
//   network        a name of the zoo: lenet5
//   version        full, or prune:0.5: how many of the network's channels it has
//   input          channels x height x width of a sample: 1x28x28; for a table 1x1xFEATURES
//   classes        10
//   weights        averaged: over the last iterations of training
//                  (learn/network/weight_average.h); without this entry they are the weights at its
//                  end
//   feature_names  the columns of a table that named them (model/feature_names.h)
//   values         bytes: images of 0..255, which are read as (x / 255 - 0.5) / 0.5; numbers: not
//                  changed
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
  model::NetSpec spec;  // The network of this version, with its input and classes.
  std::string version = "full";
  std::vector<float> parameters;  // They have the layout of `spec`.
  bool reads_bytes = true;
  bool averaged = false;
  // The columns of the training data, one for each feature; empty if they are not known.
  std::vector<std::string> feature_names{};
};

[[nodiscard]] std::vector<std::byte> write_network(const TrainedNetwork& network);

// Whether the metadata of these bytes name a network, or anything else except a linear model. False
// if the bytes are not a safetensors file.
[[nodiscard]] bool is_network_file(std::string_view bytes);

// Corrupt if the bytes are not a safetensors file, or are cut off. InvalidInput, with file, found
// and expected: not a network, a network that the zoo does not have, missing or invalid metadata,
// tensors of another shape, or a weight that is not a finite number. ENSURES: a valid spec, and
// parameters of its layout.
[[nodiscard]] Result<TrainedNetwork> read_network(std::string_view file, std::string_view bytes);

// InvalidInput, with found and expected, if the network cannot read samples of this schema. A
// network of numbers reads tables and sparse rows; a network of bytes reads images of bytes.
[[nodiscard]] Result<void> check_input(const TrainedNetwork& network, const data::Schema& schema);

}  // namespace surety::learn
