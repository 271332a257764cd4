// Structured pruning: removes whole channels, so that the network has fewer values and costs less
// time.
//
// In every *channel group* of n channels, the n - floor(F n) channels with the largest weights stay
// (at least one); F is the fraction that is removed. A group is everything that shares one set of
// channels: the outputs of a linear or convolutional layer, followed through batch norm, ReLU,
// pooling, dropout, depthwise convolutions and flattening. The operands of a residual sum have the
// same channels, so they belong to one group and are pruned together. Not pruned are the network's
// inputs, its scores, and sums whose operands have different numbers of channels.
//
// The magnitude of a channel is the L2 norm of all filters that compute it (Li 2017, with L2).
// Biases and depthwise filters do not count. If magnitudes are equal, the lower index stays. A norm
// that is not finite counts as 0.
//
// After a switch full -> pruned -> full, the channels that stayed have their trained values
// (batch-norm statistics too). The removed channels get back their values from before the cut, and
// at first the channels that stayed do not read them. So at first the full network computes the
// same scores as the pruned one (the idea of Net2Net, Chen 2016), and it continues to learn from
// there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/net_spec.h"

namespace surety::model {

// Maps the pruned flat vector to the full one.
struct ChannelMap {
  std::uint64_t full_size = 0;
  // Position of each pruned value in the full vector; no two are equal.
  std::vector<std::uint32_t> index;
  // The outputs of each layer that stay, ascending.
  std::vector<std::vector<std::uint32_t>> channels;
};

struct Pruned {
  NetSpec spec;
  ChannelMap map;
  std::vector<float> parameters;
};

// Deterministic: the same arguments give the same bytes on every machine.
// REQUIRES: a valid spec; parameters in the layout of spec; 0 < fraction < 1.
[[nodiscard]] Pruned prune(const NetSpec& spec, std::span<const float> parameters, double fraction);

// Only the spec: the number of channels that stay does not depend on values.
[[nodiscard]] NetSpec pruned_spec(const NetSpec& spec, double fraction);

// The kept values of a full vector, such as parameters, momentum or an update.
// REQUIRES: full.size() == map.full_size.
[[nodiscard]] std::vector<float> shrink(const ChannelMap& map, std::span<const float> full);

// Writes pruned values to their positions in `full`; the other values do not change.
// REQUIRES: pruned.size() == map.index.size(); full.size() == map.full_size.
// ENSURES: shrink(map, full) equals pruned.
void grow(const ChannelMap& map, std::span<const float> pruned, std::span<float> full);

// Sets to 0 the weights with which the channels that stayed read the removed ones. A removed
// channel keeps its own filter: its output is not 0, so the weights that are set to 0 have a
// gradient.
// REQUIRES: `map` comes from a pruning of `spec`; full.size() == map.full_size.
// ENSURES: the scores of the full network are those of the pruned one with shrink(map, full).
void disconnect_removed(const NetSpec& spec, const ChannelMap& map, std::span<float> full);

}  // namespace surety::model
