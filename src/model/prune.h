// Structured pruning: removes whole channels, so that the network is really smaller.
//
// In every *channel group* of n channels, the n - floor(F n) with the largest weights stay (at
// least one); F is the fraction removed. A group is what shares one set of channels: the outputs of
// a linear or convolutional layer, followed through batch norm, ReLU, pooling, dropout, depthwise
// convolutions and flattening. A residual sum ties the channels of its operands: their groups are
// one, pruned together. Left alone: the network's inputs, its scores, and sums whose operands count
// channels differently.
//
// A channel's magnitude is the L2 norm of all filters that make it (Li 2017, with L2), biases and
// depthwise filters not counted. Ties: the lower index stays. A norm that is not finite counts as
// 0.
//
// What a switch full -> pruned -> full keeps: the channels that stayed have their trained values
// (batch-norm statistics too). The removed ones come back with the values they had when cut, and
// the channels that stayed begin by not reading them: so the full network computes at first what
// the pruned one did (the idea of Net2Net, Chen 2016), and learns from there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

// From the pruned flat vector to the full one.
struct ChannelMap {
  std::uint64_t full_size = 0;
  std::vector<std::uint32_t> index;  // Of each pruned value in the full vector; no two equal.
  std::vector<std::vector<std::uint32_t>> channels;  // Per layer: its outputs that stay, rising.
};

struct Pruned {
  NetSpec spec;
  ChannelMap map;
  std::vector<float> parameters;
};

// Deterministic: the same arguments give the same bytes on every machine.
// REQUIRES: a valid spec; parameters in the layout of spec; 0 < fraction < 1.
[[nodiscard]] Pruned prune(const NetSpec& spec, std::span<const float> parameters, double fraction);

// The spec alone: how many channels stay does not depend on their values.
[[nodiscard]] NetSpec pruned_spec(const NetSpec& spec, double fraction);

// The kept values of a full vector (parameters, momentum, an update).
// REQUIRES: full.size() == map.full_size.
[[nodiscard]] std::vector<float> shrink(const ChannelMap& map, std::span<const float> full);

// Writes pruned values to their places in `full`; the others stay as they are.
// REQUIRES: pruned.size() == map.index.size(); full.size() == map.full_size.
// ENSURES: shrink(map, full) equals pruned.
void grow(const ChannelMap& map, std::span<const float> pruned, std::span<float> full);

// Sets to 0 the weights with which the channels that stayed read the removed ones. A removed
// channel keeps its own filter: its output is not 0, so the weights that are 0 now have a gradient.
// REQUIRES: `map` is of a pruning of `spec`; full.size() == map.full_size.
// ENSURES: the full network's scores are those of the pruned one with shrink(map, full).
void disconnect_removed(const NetSpec& spec, const ChannelMap& map, std::span<float> full);

}  // namespace surety::model
