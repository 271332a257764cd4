// Compensation: after channels are removed from a network, least squares restore much of the lost
// quality.
//
// A switch to fewer channels is a function of the model alone (learn/network/network_version.h), so
// every worker gets the same network without a message. The effect of the cut on the scores depends
// on data, and each worker holds other data. So a worker compensates at the beginning of its first
// local work after such a switch. It changes its own model. The mean of these changes, together
// with what the workers learned afterwards, is the change of the common model. So in this iteration
// all workers wait for each other.
//
// The weights and bias of each layer, from the first to the last, are changed so that on some
// samples the outputs of the layer are close to those of the network before the cut, although its
// inputs come from the changed layers before it (He, Zhang and Sun 2017; model/layer_fit.h). Batch
// norm keeps its statistics, except the mean, which has the effect of a bias.
//
// Memory and time are bounded: kCompensationBytesMax bounds the activations of the samples, and a
// layer of more than model::kFitUnknownsMax unknowns is not changed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/model.h"
#include "learn/network/inputs.h"
#include "model/net_spec.h"
#include "model/torch/network.h"

namespace surety::learn {

// Approximate limit of the activations of all samples that are held at once, in bytes.
inline constexpr std::size_t kCompensationBytesMax = std::size_t{256} << 20;

// Number of samples for a compensation of this network. It is smaller if the activations are large,
// and 0, which means no compensation, if too few samples would fit. More samples give a better
// result: for LeNet-5 on MNIST see bench/notes/learn.md.
[[nodiscard]] std::size_t compensation_samples(const model::NetSpec& full);

// Returns `count` samples of the chunks, or all if there are fewer, at even distances. The same
// chunks give the same samples. InvalidInput if a label is no class.
[[nodiscard]] Result<Batch> spread_samples(const std::map<ChunkId, data::Chunk>& chunks,
                                           const data::Schema& schema, std::size_t count);

// Changes the values of `network`, which holds those of `cut`. Without samples nothing changes. If
// `stopped` returns true, the layers that are done stay changed, and the others keep their values
// after the cut. REQUIRES: is_unchanged_since_cut(full, cut). ENSURES: finite values stay finite.
void compensate(const model::NetSpec& full, const Model& cut, const Batch& samples,
                model::TorchNetwork& network, const std::function<bool()>& stopped);

}  // namespace surety::learn
