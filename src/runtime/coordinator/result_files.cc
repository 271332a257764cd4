#include "runtime/coordinator/result_files.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"
#include "learn/linear/model/liblinear_model.h"
#include "learn/linear/model/linear_model_file.h"
#include "learn/linear/solver/glm_penalty.h"
#include "learn/network/network_file.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/version.h"
#include "model/zoo.h"
#include "orchestrator/history/run_folder.h"

namespace surety::runtime {
namespace {

using namespace job;
using namespace orchestrator;

// A worker has written the model, so it may be of another size, or not be finite.
Result<void> check_values(std::span<const float> values, std::size_t expected) {
  if (values.size() != expected) {
    return fail(ErrorCode::kCorrupt, "the model has {} parameters, expected {}", values.size(),
                expected);
  }
  if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return {};
  return fail(ErrorCode::kCorrupt, "some parameters of the model are not finite numbers");
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::vector<ResultFile>> linear_files(const learn::Model& model, const Job& job,
                                             const RunBeginning& beginning) {
  const std::string& zoo = job.model.zoo;
  const std::vector<float> weights =
      learn::weights_of(model.parameters, model.parent, job.train.l1_ratio);
  SURETY_TRY(check_values(weights, model.parameters.size()));
  const auto linear = learn::linear_model(zoo, weights, beginning.negative_label);
  SURETY_CHECK(linear);
  return std::vector<ResultFile>{
      {run_folder::kModel, text_of(learn::to_safetensors(zoo, weights, beginning.negative_label,
                                                         beginning.feature_names))},
      {run_folder::kLiblinearModel, learn::to_liblinear(*linear)}};
}

}  // namespace

Result<std::vector<ResultFile>> result_files(const learn::Model& model, const Job& job,
                                             const RunState& state) {
  if (model::is_linear(job.model.zoo)) return linear_files(model, job, state.beginning);
  if (state.beginning.sources.size() < job.data.size()) {
    return fail(ErrorCode::kInvalidInput, "the journal lists {} data sets, but its job lists {}",
                state.beginning.sources.size(), job.data.size());
  }
  const std::vector<data::SourceInfo> trained_on(
      state.beginning.sources.begin(),
      state.beginning.sources.begin() + static_cast<std::ptrdiff_t>(job.data.size()));
  SURETY_TRY(const data::Schema schema, data::common_schema(trained_on));
  SURETY_TRY(model::NetSpec spec, model::zoo(job.model.zoo, {.channels = schema.channels,
                                                             .height = schema.height,
                                                             .width = schema.width,
                                                             .classes = schema.classes}));
  SURETY_TRY(const model::Version version, model::parse_version(model.version));
  if (!version.full()) spec = model::pruned_spec(spec, version.pruned);
  SURETY_TRY(check_values(model.kept(), model::layout_of(spec).size));
  return std::vector<ResultFile>{
      {run_folder::kModel,
       text_of(learn::write_network({.spec = std::move(spec),
                                     .version = model.version,
                                     .parameters = model.kept(),
                                     .reads_bytes = schema.layout == data::Layout::kDenseU8,
                                     .averaged = !model.average.empty(),
                                     .feature_names = state.beginning.feature_names}))}};
}

}  // namespace surety::runtime
