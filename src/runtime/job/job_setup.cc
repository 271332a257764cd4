#include "runtime/job/job_setup.h"

#include <algorithm>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/words.h"
#include "data/posix/open.h"
#include "data/url.h"
#include "job/job_data.h"
#include "job/job_labels.h"
#include "learn/network/network_version.h"
#include "learn/task.h"
#include "model/layout.h"
#include "model/version.h"
#include "model/zoo.h"
#include "orchestrator/training/training_chunks.h"

namespace surety::runtime {
namespace {

using namespace job;
using namespace orchestrator;

// A job file has a page or two. A larger file is probably a mistake.
constexpr std::uint64_t kJobFileBytesMax = 1 << 20;
// Half of the validation samples decide and half certify. With fewer than this in total, a standard
// error means nothing.
constexpr std::uint64_t kValidationSamplesMin = 40;

Result<void> check_validation(const data::SourceInfo& validation, const data::Schema& schema) {
  if (!data::same_shape(validation.schema, schema)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found {}, expected {} (channels x height x width) as in data",
                data::place_of(validation), data::shape_of(validation.schema),
                data::shape_of(schema));
  }
  if (validation.samples < kValidationSamplesMin) {
    return fail(
        ErrorCode::kInvalidInput,
        "validation: found {} samples, expected at least {}: half of them decide when to stop, "
        "the other half certify",
        validation.samples, kValidationSamplesMin);
  }
  return {};
}

// Validation samples cannot judge a model that was trained on them. The duality gap does not use
// them.
Result<void> check_other_samples(const JobConfig& config) {
  if (config.job.promise.metric == plan::Metric::kDualityGap) return {};
  for (const data::SourceInfo& source : config.sources) {
    const bool is_same = source.content && source.content == config.validation->content &&
                         source.samples == config.validation->samples;
    if (!is_same) continue;
    return fail(ErrorCode::kInvalidInput,
                "validation: found the same samples as in data set {}, expected others: they would "
                "say nothing about new data. Without validation, Surety holds out a fifth of the "
                "data",
                source.name);
  }
  return {};
}

// With so few samples, this is the error to report, not others such as a missing class.
Result<void> check_any(const JobConfig& config) {
  const bool has_gap = config.job.promise.metric == plan::Metric::kDualityGap;
  if (has_gap || config.validation) return {};
  std::uint64_t samples = 0;
  for (const data::SourceInfo& source : config.sources) samples += source.samples;
  if (samples >= kValidationSamplesMin) return {};
  return fail(ErrorCode::kInvalidInput,
              "data: found {} in all, expected at least {}: one in {} is held out for validation, "
              "and {} are needed there. Give more data, or a separate source under validation",
              counted(samples, "sample"), kHeldOutShare * kValidationSamplesMin, kHeldOutShare,
              kValidationSamplesMin);
}

// The duality gap uses the training samples.
Result<void> check_held_out(const JobConfig& config) {
  if (config.job.promise.metric == plan::Metric::kDualityGap) return {};
  std::uint64_t samples = 0;
  for (const data::ChunkRange& chunk : config.validation_chunks) samples += chunk.count;
  if (samples >= kValidationSamplesMin) return {};
  return fail(ErrorCode::kInvalidInput,
              "data: {} samples are held out for validation, about one in {}, expected at least "
              "{}: half of them decide when to stop, the other half certify. Give more data, or a "
              "separate source under validation",
              samples, kHeldOutShare, kValidationSamplesMin);
}

// Fills in the training and the validation chunks. REQUIRES: the sources, the validation source and
// the schema are known.
Result<void> cut_chunks(JobConfig& config, std::optional<std::uint32_t> chunks_for_workers) {
  const TrainSpec& train = config.job.train;
  const std::uint32_t workers =
      chunks_for_workers.value_or(std::max(1u, config.job.cluster.local()));
  config.chunks_for_workers = workers;
  if (!config.validation) {
    DividedChunks divided = hold_out(train, config.sources, workers);
    config.chunks = std::move(divided.training);
    config.validation_chunks = std::move(divided.validation);
    return check_held_out(config);
  }
  config.chunks = cut_training_chunks(train, config.sources, workers);
  SURETY_TRY(check_validation(*config.validation, config.schema));
  SURETY_TRY(check_other_samples(config));
  config.validation_chunks = validation_chunks(
      train, *config.validation, static_cast<std::uint32_t>(config.sources.size()), workers);
  // The task reads both in the same way: a feature that only validation samples have gets no
  // weight.
  config.schema.features = std::max(config.schema.features, config.validation->schema.features);
  return {};
}

}  // namespace

// Weights, gradients and momentum (two of them, if the averages have their own), and for a pruned
// version also the full weights that it was cut from.
Result<void> weigh_versions(Job& job, const data::Schema& schema) {
  if (model::is_linear(job.model.zoo)) return {};
  SURETY_TRY(const model::NetSpec full, model::zoo(job.model.zoo, {.channels = schema.channels,
                                                                   .height = schema.height,
                                                                   .width = schema.width,
                                                                   .classes = schema.classes}));
  for (const std::string& version : job.model.versions) {
    SURETY_TRY(const model::NetSpec spec, learn::spec_of_version(full, version));
    const std::uint64_t kept = model::is_full(version) ? 0 : model::layout_of(full).bytes();
    const std::uint64_t copies =
        3 + (job.train.outer_momentum > 0 ? 1 : 0) + (job.train.average_passes ? 1 : 0);
    job.model.memory_bytes[version] = copies * model::layout_of(spec).bytes() + kept;
    job.model.multiply_adds[version] = model::multiply_adds(spec);
  }
  return {};
}

Result<data::SourceInfo> inspect_data(const std::string& name, const std::string& url,
                                      const DataWatch& watch) {
  SURETY_TRY(const data::SourceUrl parsed, data::parse_url(url));
  Result<data::SourceInfo> info =
      data::inspect(parsed, data::local_files(), [&](std::uint64_t samples) {
        if (watch) watch(name, samples);
      });
  if (!info) {
    std::error_code error;
    const bool is_missing = !parsed.path.empty() && !std::filesystem::exists(parsed.path, error);
    data::SourceInfo source;
    source.name = name;
    source.url = url;
    return fail(info.error().code, "{}: {}{}", data::place_of(source), info.error().message,
                is_missing ? ". A relative path starts from the folder of the job file, or from "
                             "data.root"
                           : "");
  }
  info->name = name;
  info->url = url;
  return info;
}

Result<Job> read_job(const std::filesystem::path& file, const std::vector<std::string>& sets,
                     std::optional<double> now_unix_s) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    SURETY_TRY(Override parsed, parse_override(set));
    overrides.push_back(std::move(parsed));
  }
  SURETY_TRY(const std::string text, posix::read_file(file, kJobFileBytesMax));
  const double now_s = now_unix_s.value_or(posix::unix_seconds());
  // Errors name the file in the same way as the user.
  SURETY_TRY(parse_job(file.string(), text, overrides, now_s));
  // The job must mean the same when it is resumed from another working folder.
  for (Override& set : overrides) {
    if (set.key != "data.root") continue;
    const std::string root = below_working_folder(set.value).value_or(set.value);
    set.value = (std::filesystem::current_path() / root).string();
  }
  return parse_job(std::filesystem::absolute(file).string(), text, overrides, now_s);
}

Result<JobConfig> set_up(const Job& job, std::optional<std::uint32_t> chunks_for_workers,
                         const DataWatch& watch) {
  JobConfig config;
  config.job = job;
  config.starts_workers = job.cluster.local() > 0;
  const Time begun = posix::now();
  for (const DataSpec& set : job.data) {
    SURETY_TRY(data::SourceInfo source, inspect_data(set.name, set.source, watch));
    source.site = set.site;
    source.price = set.price;
    config.sources.push_back(std::move(source));
  }
  SURETY_TRY(config.schema, data::common_schema(config.sources));
  if (job.validation) {
    SURETY_TRY(config.validation, inspect_data("validation", *job.validation, watch));
    SURETY_TRY(data::check_columns(config.sources.front(), *config.validation));
  }
  config.reading_s = to_seconds(posix::now() - begun);
  SURETY_TRY(check_any(config));
  SURETY_TRY(check_labels(job, config.sources, config.validation));
  SURETY_TRY(weigh_versions(config.job, config.schema));
  SURETY_TRY(cut_chunks(config, chunks_for_workers));
  for (data::SourceInfo& source : config.sources) source.sample_checksums = {};
  if (config.validation) config.validation->sample_checksums = {};
  return config;
}

}  // namespace surety::runtime
