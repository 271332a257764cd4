#include "learn/torch/compensation.h"

#include <algorithm>

#include "learn/network/network_version.h"
#include "model/layer_fit.h"

namespace surety::learn {
namespace {

constexpr std::size_t kSamples = 1024;
// Fewer samples represent the data too poorly.
constexpr std::size_t kSamplesLeast = 16;
// For each sample, memory holds about this many layers of the largest size at once: inputs and
// outputs of a layer in the full network, and in the cut network, and the targets.
constexpr std::size_t kLayersHeld = 4;

// Share of the mean square of a layer's inputs. Right after the cut, five times this value and a
// twentieth of it are both a little worse.
constexpr double kRidge = 0.02;

}  // namespace

std::size_t compensation_samples(const model::NetSpec& full) {
  std::size_t largest = full.input.features();
  for (const model::Shape& shape : model::shapes_of(full)) {
    largest = std::max<std::size_t>(largest, shape.size());
  }
  const std::size_t count = kCompensationBytesMax / (kLayersHeld * largest * sizeof(float));
  return count < kSamplesLeast ? 0 : std::min(count, kSamples);
}

Result<Batch> spread_samples(const std::map<ChunkId, data::Chunk>& chunks,
                             const data::Schema& schema, std::size_t count) {
  std::size_t all = 0;
  for (const auto& [id, chunk] : chunks) all += chunk.samples.size();
  const std::size_t taken = std::min(count, all);
  Batch batch;
  std::size_t before = 0;
  std::size_t next = 0;
  for (const auto& [id, chunk] : chunks) {
    const std::size_t end = before + chunk.samples.size();
    for (; next < taken && next * all / taken < end; ++next) {
      SURETY_TRY(append_sample(chunk.samples, schema, next * all / taken - before, batch));
    }
    before = end;
  }
  return batch;
}

void compensate(const model::NetSpec& full, const Model& cut, const Batch& samples,
                model::TorchNetwork& network, const std::function<bool()>& stopped) {
  if (samples.size() == 0) return;
  model::TorchNetwork before(full);
  std::ranges::copy(cut.parent, before.parameters().begin());
  const auto fit = [&](const model::LayerSums& sums) {
    model::fit_layer(network.spec(), sums, kRidge, network.parameters());
  };
  network.fit_to(before, channels_of(full, cut).channels, samples.inputs, fit, stopped);
}

}  // namespace surety::learn
