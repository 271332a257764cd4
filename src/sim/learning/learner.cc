#include "sim/learning/learner.h"

#include <cmath>
#include <memory>

#include "base/check.h"
#include "learn/linear/task_factory.h"
#include "learn/network/network_version.h"
#include "model/layout.h"
#include "model/zoo.h"

namespace surety::sim {
namespace {

// Bytes of samples that one core's solver processes per second, for sparse rows and a pass with its
// model in the cache. It is an assumption, which bench/RESULTS.md does not measure.
constexpr double kLinearBytesPerS = 400e6;

constexpr std::uint32_t kExchanged = 24;

// Bytes of a version's network; 0 if the zoo does not know the model.
std::uint64_t network_bytes(const orchestrator::JobConfig& config, const std::string& version) {
  const data::Schema& schema = config.schema;
  const auto full = model::zoo(config.job.model.zoo, {.channels = schema.channels,
                                                      .height = schema.height,
                                                      .width = schema.width,
                                                      .classes = schema.classes});
  if (!full) return 0;
  const auto spec = learn::spec_of_version(*full, version);
  return spec ? model::layout_of(*spec).bytes() : 0;
}

}  // namespace

double wire_scale(const Learner& learner, const learn::Model& model) {
  return learner.model_bytes(model.version) / static_cast<double>(4 * model.parameters.size());
}

Learner linear_learner(const orchestrator::JobConfig& config, data::OpenFile open) {
  std::vector<data::SourceInfo> sources = config.sources;
  if (config.validation) sources.push_back(*config.validation);
  struct Store {
    std::vector<data::SourceInfo> sources;
    data::OpenFile open;
    // The keys are the source and the first sample.
    std::map<std::pair<std::uint32_t, std::uint64_t>, data::Chunk> chunks;
  };
  const auto store = std::make_shared<Store>();
  store->sources = std::move(sources);
  store->open = std::move(open);
  Learner learner;
  learner.factory = learn::glm_only();
  learner.load = [store](const data::ChunkRange& range) -> Result<data::Chunk> {
    const auto key = std::pair(range.source, range.first);
    const auto known = store->chunks.find(key);
    if (known != store->chunks.end()) return known->second;
    SURETY_TRY(std::vector<data::Chunk> loaded,
               data::load_chunks(store->sources, {range}, store->open));
    return store->chunks.emplace(key, std::move(loaded.front())).first->second;
  };
  const double bytes = 4.0 * config.schema.features;
  learner.model_bytes = [bytes](const std::string&) { return bytes; };
  learner.sample_s = [](const data::ChunkRange& range, const std::string&) {
    return static_cast<double>(range.bytes) / range.count / kLinearBytesPerS;
  };
  return learner;
}

Learner law_learner(const orchestrator::JobConfig& config, LossLaw law, double samples_per_s) {
  SURETY_CHECK(samples_per_s > 0);
  // Large enough that each block of an exchange, and each owner's part of a block, has a parameter.
  if (config.job.train.mode.mode != job::TrainMode::kSync) law.parameters = kExchanged;
  Learner learner;
  learner.factory =
      [law](const learn::TaskOptions& options) -> Result<std::unique_ptr<learn::Task>> {
    return make_law_task(law, options);
  };
  learner.load = [](const data::ChunkRange& range) -> Result<data::Chunk> {
    data::Chunk chunk;
    chunk.range = range;
    return chunk;
  };
  std::map<std::string, double> bytes;
  std::map<std::string, double> seconds;
  for (const std::string& version : config.job.model.versions) {
    bytes[version] = std::max(4096.0, static_cast<double>(network_bytes(config, version)));
  }
  bytes.emplace("full", std::max(4096.0, static_cast<double>(network_bytes(config, "full"))));
  // The cost of convolutions falls a little more slowly than their size.
  for (const auto& [version, size] : bytes) {
    seconds[version] = std::pow(size / bytes.at("full"), 0.8) / samples_per_s;
  }
  learner.model_bytes = [bytes](const std::string& version) { return bytes.at(version); };
  learner.sample_s = [seconds](const data::ChunkRange&, const std::string& version) {
    return seconds.at(version);
  };
  learner.samples_least = config.job.train.batch;
  return learner;
}

}  // namespace surety::sim
