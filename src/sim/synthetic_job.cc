#include "sim/synthetic_job.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "data/generators/digits.h"
#include "data/sources/source_info.h"
#include "data/url.h"
#include "learn/network/network_version.h"
#include "model/layout.h"
#include "model/zoo.h"
#include "orchestrator/training/training_chunks.h"

namespace surety::sim {
namespace {

using job::Job;
using orchestrator::JobConfig;

struct Known {
  const char* part;  // A part of the URL.
  std::uint64_t samples;
  data::Schema schema;
  std::uint32_t nonzeros;  // Nonzero values of a sparse row.
};

constexpr data::Schema kImage28{data::Layout::kDenseU8, 1, 28, 28, 784, 10};
constexpr data::Schema kImage32{data::Layout::kDenseU8, 3, 32, 32, 3072, 10};
constexpr data::Schema kA9a{data::Layout::kSparse, 1, 1, 1, 123, 0};

// Longer names come first, because the name of a test set often contains the name of its training
// set.
const std::array kKnown{Known{"a9a.t", 16281, kA9a, 14}, Known{"a9a", 32561, kA9a, 14},
                        Known{"t10k-images", 10000, kImage28, 0},
                        Known{"train-images", 60000, kImage28, 0},
                        Known{"cifar10://", 10000, kImage32, 0}};

// Generated rows of that size, drawn after those of `first`.
Result<data::SourceInfo> generated(const Known& known, std::uint64_t first) {
  const std::string text = fmt::format("synthetic://?samples={}&features={}&nonzeros={}&first={}",
                                       known.samples, known.schema.features, known.nonzeros, first);
  SURETY_TRY(const data::SourceUrl url, data::parse_url(text));
  SURETY_TRY(data::SourceInfo info, data::inspect(url, {}));
  info.url = text;
  return info;
}

data::SourceInfo counted(std::uint64_t samples, const data::Schema& schema) {
  data::SourceInfo info;
  info.schema = schema;
  info.samples = samples;
  info.bytes = samples * (schema.features + 4);
  return info;
}

Result<data::SourceInfo> inspect_source(const std::string& text, std::uint64_t first) {
  SURETY_TRY(const data::SourceUrl url, data::parse_url(text));
  if (url.scheme == data::Scheme::kDigits) {
    data::Schema schema = kImage28;
    SURETY_TRY(const data::DigitsOptions options, data::parse_digits_options(url));
    schema.classes = options.classes;
    data::SourceInfo info = counted(options.samples, schema);
    info.url = text;
    return info;
  }
  if (url.scheme == data::Scheme::kSynthetic) {
    SURETY_TRY(data::SourceInfo info, data::inspect(url, {}));
    info.url = text;
    return info;
  }
  for (const Known& known : kKnown) {
    if (text.find(known.part) == std::string::npos) continue;
    if (known.nonzeros > 0) return generated(known, first);
    data::SourceInfo info = counted(known.samples, known.schema);
    info.url = text;
    return info;
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: found a data set of unknown size, expected a generator (digits:// or "
              "synthetic://), or files of a9a, MNIST or CIFAR-10: the simulation does not read "
              "these files, and knows their sizes",
              text);
}

}  // namespace

Job with_nodes(Job job, std::uint32_t nodes) {
  job::NodeTypeSpec& type = job.cluster.nodes.front();
  const std::uint32_t before = std::max(1u, type.local);
  type.local = nodes;
  for (std::uint32_t& workers : job.profile.workers) {
    workers = std::max(1u, workers * nodes / before);
  }
  job.cluster.slurm.reset();
  return job;
}

Result<JobConfig> synthetic_job(const Job& job) {
  JobConfig config;
  config.job = job;
  config.starts_workers = job.cluster.local() > 0;
  std::uint64_t first = 0;
  for (const job::DataSpec& set : job.data) {
    auto source = inspect_source(set.source, first);
    if (!source) return fail_in(source.error(), "data set {}", set.name);
    source->name = set.name;
    source->site = set.site;
    source->price = set.price;
    first += source->samples;
    config.sources.push_back(std::move(*source));
  }
  SURETY_TRY(config.schema, data::common_schema(config.sources));
  const std::uint32_t workers = std::max(1u, job.cluster.local());
  config.chunks_for_workers = workers;
  if (!job.validation) {
    orchestrator::DividedChunks divided =
        orchestrator::hold_out(job.train, config.sources, workers);
    config.chunks = std::move(divided.training);
    config.validation_chunks = std::move(divided.validation);
    return config;
  }
  config.chunks = orchestrator::cut_training_chunks(job.train, config.sources, workers);
  auto validation = inspect_source(*job.validation, first);
  if (!validation) return fail_in(validation.error(), "validation");
  config.validation = *std::move(validation);
  config.validation->name = "validation";
  config.validation_chunks = orchestrator::validation_chunks(
      job.train, *config.validation, static_cast<std::uint32_t>(config.sources.size()), workers);
  config.schema.features = std::max(config.schema.features, config.validation->schema.features);
  return config;
}

Learner learner_for(const JobConfig& config, double samples_per_s) {
  const auto nothing = [](const std::string& path) -> Result<std::unique_ptr<ByteSource>> {
    return fail(ErrorCode::kUnavailable, "{}: a simulated cluster has no files", path);
  };
  if (model::is_linear(config.job.model.zoo)) return linear_learner(config, nothing);
  return law_learner(config, {}, samples_per_s);
}

}  // namespace surety::sim
