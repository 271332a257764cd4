#include "model/prune.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "model/layout.h"

namespace surety::model {
namespace {

using Channels = std::vector<std::uint32_t>;  // Indices in ascending order.

// Union-find over everything that has channels: the network's input (node 0) and the layers (from
// 1).
class Groups {
 public:
  explicit Groups(const NetSpec& spec);

  std::size_t root(std::size_t node) const {
    while (parent_[node] != node) node = parent_[node];
    return node;
  }
  static std::size_t node_of(std::int32_t layer) { return static_cast<std::size_t>(layer + 1); }
  std::uint32_t channels(std::size_t root) const { return channels_[root]; }
  bool frozen(std::size_t root) const { return frozen_[root]; }

 private:
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    frozen_[a] = frozen_[a] || frozen_[b] || channels_[a] != channels_[b];
    parent_[b] = a;
  }

  std::vector<std::size_t> parent_;
  std::vector<std::uint32_t> channels_;  // Valid for roots.
  std::vector<bool> frozen_;             // Valid for roots: whether no channel may be removed.
};

bool makes_channels(const Layer& layer) {
  return layer.kind == LayerKind::kLinear || layer.kind == LayerKind::kConv;
}

Groups::Groups(const NetSpec& spec)
    : parent_(spec.layers.size() + 1),
      channels_(spec.layers.size() + 1),
      frozen_(spec.layers.size() + 1) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  channels_[0] = spec.input.channels;
  frozen_[0] = true;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& layer = spec.layers[i];
    if (makes_channels(layer)) {
      channels_[i + 1] = layer.out;
      continue;
    }
    channels_[i + 1] = channels_[root(node_of(layer.input))];
    join(node_of(layer.input), i + 1);
    if (layer.kind == LayerKind::kAdd) join(node_of(layer.other), i + 1);
  }
  frozen_[root(spec.layers.size())] = true;
}

// n - floor(F n). The small margin is for products such as 0.29 * 100, whose computed value is just
// below an integer.
std::uint32_t kept_count(std::uint32_t channels, double fraction) {
  const auto removed = static_cast<std::uint32_t>(std::floor(fraction * channels + 1e-9));
  return std::max(1u, channels - std::min(channels, removed));
}

Channels all_of(std::uint32_t count) {
  Channels channels(count);
  std::iota(channels.begin(), channels.end(), 0u);
  return channels;
}

// Adds the squared norm of each output's filter, in double and in index order, so that every
// machine computes the same sums.
void add_norms(std::span<const float> weight, std::vector<double>& sums) {
  const std::size_t size = weight.size() / sums.size();
  for (std::size_t i = 0; i < weight.size(); ++i) {
    sums[i / size] += static_cast<double>(weight[i]) * static_cast<double>(weight[i]);
  }
}

Channels largest(std::vector<double> norms, std::uint32_t count) {
  for (double& norm : norms) norm = std::isfinite(norm) ? norm : 0;
  Channels order = all_of(static_cast<std::uint32_t>(norms.size()));
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t c) { return norms[c]; });
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

// The channels that stay in each pruned group, by the group's root.
std::map<std::size_t, Channels> choose(const NetSpec& spec, const Groups& groups,
                                       std::span<const float> parameters, double fraction) {
  std::map<std::size_t, std::vector<double>> norms;
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    const std::size_t root = groups.root(slot.layer + 1);
    if (slot.role != TensorRole::kWeight || !makes_channels(spec.layers[slot.layer]) ||
        groups.frozen(root)) {
      continue;
    }
    std::vector<double>& sums = norms[root];
    sums.resize(groups.channels(root));
    add_norms(parameters.subspan(slot.offset, slot.size), sums);
  }
  std::map<std::size_t, Channels> kept;
  for (const auto& [root, sums] : norms) {
    kept[root] = largest(sums, kept_count(groups.channels(root), fraction));
  }
  return kept;
}

// Flattening turns a channel into a block of features: `features` features belong to all channels
// of the group.
Channels expand(const Channels& channels, std::uint32_t group_channels, std::uint32_t features) {
  const std::uint32_t block = features / group_channels;
  Channels result;
  result.reserve(channels.size() * block);
  for (const std::uint32_t channel : channels) {
    for (std::uint32_t i = 0; i < block; ++i) result.push_back(channel * block + i);
  }
  return result;
}

// For each node (the input, then the layers) its output channels that stay.
std::vector<Channels> kept_channels(const NetSpec& spec, const Groups& groups,
                                    const std::map<std::size_t, Channels>& kept) {
  std::vector<Channels> result = {all_of(spec.input.channels)};
  const std::vector<Shape> shapes = shapes_of(spec);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t root = groups.root(i + 1);
    const auto found = kept.find(root);
    result.push_back(found == kept.end()
                         ? all_of(shapes[i].channels)
                         : expand(found->second, groups.channels(root), shapes[i].channels));
  }
  return result;
}

// The channels that stay in a layer's input. All features of the network's input are kept, even if
// they are flattened.
const Channels& channels_read(const NetSpec& spec, const std::vector<Channels>& kept,
                              std::size_t layer) {
  return kept[Groups::node_of(spec.layers[layer].input)];
}

void append_indices(const TensorSlot& slot, const Channels& out, const Channels& in,
                    std::vector<std::uint32_t>& index) {
  const std::uint64_t row = slot.size / static_cast<std::uint64_t>(slot.shape[0]);
  const std::uint64_t cell =
      row / (slot.shape.size() > 1 ? static_cast<std::uint64_t>(slot.shape[1]) : 1);
  for (const std::uint32_t o : out) {
    for (const std::uint32_t i : in) {
      const std::uint64_t first = slot.offset + o * row + i * cell;
      for (std::uint64_t k = 0; k < cell; ++k) {
        index.push_back(static_cast<std::uint32_t>(first + k));
      }
    }
  }
}

std::vector<std::uint32_t> value_index(const NetSpec& spec, const std::vector<Channels>& kept) {
  static const Channels kOne = {0};  // Vectors and depthwise filters read no other channel.
  std::vector<std::uint32_t> index;
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    const bool mixes = slot.role == TensorRole::kWeight && makes_channels(spec.layers[slot.layer]);
    const Channels& in = mixes ? channels_read(spec, kept, slot.layer) : kOne;
    append_indices(slot, kept[slot.layer + 1], in, index);
  }
  return index;
}

}  // namespace

NetSpec pruned_spec(const NetSpec& spec, double fraction) {
  SURETY_CHECK(fraction > 0 && fraction < 1);
  const Groups groups(spec);
  NetSpec result = spec;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (!makes_channels(spec.layers[i]) || groups.frozen(groups.root(i + 1))) continue;
    result.layers[i].out = kept_count(spec.layers[i].out, fraction);
  }
  return result;
}

Pruned prune(const NetSpec& spec, std::span<const float> parameters, double fraction) {
  const std::uint64_t full_size = layout_of(spec).size;
  SURETY_CHECK(parameters.size() == full_size);
  const Groups groups(spec);
  std::vector<Channels> kept =
      kept_channels(spec, groups, choose(spec, groups, parameters, fraction));
  Pruned result{.spec = pruned_spec(spec, fraction),
                .map = {.full_size = full_size, .index = value_index(spec, kept), .channels = {}},
                .parameters = {}};
  kept.erase(kept.begin());  // The first node is the network's input.
  result.map.channels = std::move(kept);
  result.parameters = shrink(result.map, parameters);
  SURETY_CHECK(result.parameters.size() == layout_of(result.spec).size);
  return result;
}

std::vector<float> shrink(const ChannelMap& map, std::span<const float> full) {
  SURETY_CHECK(full.size() == map.full_size);
  std::vector<float> pruned;
  pruned.reserve(map.index.size());
  for (const std::uint32_t index : map.index) pruned.push_back(full[index]);
  return pruned;
}

void grow(const ChannelMap& map, std::span<const float> pruned, std::span<float> full) {
  SURETY_CHECK(pruned.size() == map.index.size());
  SURETY_CHECK(full.size() == map.full_size);
  for (std::size_t i = 0; i < pruned.size(); ++i) full[map.index[i]] = pruned[i];
}

void disconnect_removed(const NetSpec& spec, const ChannelMap& map, std::span<float> full) {
  SURETY_CHECK(full.size() == map.full_size && map.channels.size() == spec.layers.size());
  std::vector<Channels> kept = {all_of(spec.input.channels)};
  kept.insert(kept.end(), map.channels.begin(), map.channels.end());
  std::vector<std::uint32_t> index;
  for (const TensorSlot& slot : layout_of(spec).tensors) {
    if (slot.role != TensorRole::kWeight || !makes_channels(spec.layers[slot.layer])) continue;
    const Channels read = all_of(static_cast<std::uint32_t>(slot.shape[1]));
    Channels removed;
    std::ranges::set_difference(read, channels_read(spec, kept, slot.layer),
                                std::back_inserter(removed));
    append_indices(slot, kept[slot.layer + 1], removed, index);
  }
  for (const std::uint32_t at : index) full[at] = 0;
}

}  // namespace surety::model
