#include "model/initial.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/random.h"
#include "model/layout.h"

namespace surety::model {
namespace {

// Sum of twelve 16-bit uniforms, four from each word, added in two lanes of 32 bits: mean 12 *
// 65535 / 2, variance 12 * (65536^2 - 1) / 12 = 65536^2 - 1.
double draw(Random& random) {
  constexpr std::uint64_t kLanes = 0x0000ffff0000ffffull;
  std::uint64_t sum = 0;
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t bits = random.next();
    sum += (bits & kLanes) + ((bits >> 16) & kLanes);
  }
  const auto total = static_cast<std::int64_t>((sum & 0xffffffffull) + (sum >> 32));
  return static_cast<double>(total - 6 * 65535) * 0x1p-16;
}

void fill_weight(std::span<float> values, double variance, Random random) {
  const double deviation = std::sqrt(variance);
  for (float& value : values) value = static_cast<float>(draw(random) * deviation);
}

double fan_in(const TensorSlot& slot) {
  return static_cast<double>(slot.size) / static_cast<double>(slot.shape.front());
}

}  // namespace

std::vector<float> initial_parameters(const NetSpec& spec, std::uint64_t seed) {
  const Layout layout = layout_of(spec);
  const Random random = Random(seed).fork("initial parameters");
  std::vector<float> values(layout.size);
  for (std::size_t i = 0; i < layout.tensors.size(); ++i) {
    const TensorSlot& slot = layout.tensors[i];
    const std::span<float> part = std::span(values).subspan(slot.offset, slot.size);
    const bool last = slot.layer + 1 == spec.layers.size();
    if (slot.role == TensorRole::kWeight) {
      fill_weight(part, (last ? 1.0 : 2.0) / fan_in(slot), random.fork("tensor", i));
    } else if (slot.role == TensorRole::kScale || slot.role == TensorRole::kRunningVariance) {
      std::ranges::fill(part, 1.0f);
    }
  }
  return values;
}

}  // namespace surety::model
