// What a network loses when channels are cut off is given back at once, by least squares.
//
// A switch to fewer channels is a function of the model alone (learn/network_version.h), so that
// every worker gets the same one without a message. What the cut does to the scores depends on
// data, and each worker holds others. So the compensation is the beginning of a worker's first
// local work after such a switch: it changes the worker's own model, and what it changed is merged
// with what the worker learned, as one update.
//
// From the first layer to the last one, each layer's weights and bias are changed so that on some
// samples its answers come near to those of the network before the cut, although it reads what the
// changed layers before it answer (He, Zhang and Sun 2017; model/layer_fit.h). Batch norm keeps its
// statistics but for the mean, which takes the place of a bias.
//
// Memory and time are bounded: the activations of the samples by kCompensationBytesMax, and a layer
// of more than model::kFitUnknownsMax unknowns stays as it was cut.
#pragma once

#include <cstddef>
#include <functional>
#include <map>

#include "base/ids.h"
#include "base/result.h"
#include "data/chunk.h"
#include "learn/inputs.h"
#include "learn/model.h"
#include "model/net_spec.h"
#include "model/torch/network.h"

namespace surety::learn {

// Of the activations of all samples that are held at once, about.
inline constexpr std::size_t kCompensationBytesMax = std::size_t{256} << 20;

// Samples that a compensation of this network looks at: fewer of one whose activations are large,
// and none, so that it stays as it was cut, where too few would fit. More make it better: of
// LeNet-5 on MNIST see bench/RESULTS.md, prune_jump.
[[nodiscard]] std::size_t compensation_samples(const model::NetSpec& full);

// That many samples of the chunks, or all, at even distances. The same chunks give the same ones.
// InvalidInput where a label is no class.
[[nodiscard]] Result<Batch> spread_samples(const std::map<ChunkId, data::Chunk>& chunks,
                                           const data::Schema& schema, std::size_t count);

// Changes the values of `network`, which holds those of `cut`. Without samples nothing changes.
// Where `stopped` was true, the layers that were done by then are changed, and the rest is as cut.
// REQUIRES: is_as_cut(full, cut). ENSURES: finite values stay finite.
void compensate(const model::NetSpec& full, const Model& cut, const Batch& samples,
                model::TorchNetwork& network, const std::function<bool()>& stopped);

}  // namespace surety::learn
