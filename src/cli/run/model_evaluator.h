// Measures the metric of a checkpoint on the data, without its workers and without their results.
//
// Workers have written the files of the checkpoint, so nothing in these files is trusted: if they
// have no model of the job, or dual variables that the loss does not allow, the metric is not a
// number. This is not an error, because otherwise the value of the workers would count.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "certificate/certificate.h"
#include "data/sources/chunk.h"
#include "learn/task.h"
#include "orchestrator/ledger/job_config.h"
#include "orchestrator/session/session_spec.h"
#include "proto/surety.pb.h"

namespace surety::cli {

struct ModelMeasurement {
  certificate::MetricValues values;
  std::optional<std::string> worthless;  // Why the values are not numbers; absent if they are.
};

class ModelEvaluator {
 public:
  // The arguments must outlive the object. `spec` belongs to the checkpoint.
  ModelEvaluator(const orchestrator::JobConfig& config, const orchestrator::SessionSpec& spec,
                 const proto::CheckpointCommitted& checkpoint)
      : config_(config), spec_(spec), checkpoint_(checkpoint) {}

  // Reads each source once, or twice for a duality gap. Memory: the model, a group of samples, and
  // the dual variables. InvalidInput: the data cannot be read, or are not those of `config`.
  // Unavailable: reading may work later. Corrupt: a file of the checkpoint is missing or damaged.
  // REQUIRES: called once.
  [[nodiscard]] Result<ModelMeasurement> measure(const learn::TaskFactory& factory);

 private:
  using Group = std::map<ChunkId, data::Chunk>;

  [[nodiscard]] Result<void> load_model();
  [[nodiscard]] Result<void> load_duals();
  [[nodiscard]] Result<learn::Evaluation> on_validation();
  [[nodiscard]] Result<learn::Evaluation> on_training();
  // Passes the samples of these chunks to `add`, in parts.
  [[nodiscard]] Result<void> visit(const std::vector<data::ChunkRange>& ranges,
                                   const std::function<Result<void>(data::Chunk part)>& add);
  // Passes all training samples with their dual variables to `add`, in groups.
  [[nodiscard]] Result<void> visit_training(const std::function<Result<void>(const Group&)>& add);
  [[nodiscard]] std::uint64_t samples() const;
  // Ends the measurement with values that are not numbers.
  [[nodiscard]] tl::unexpected<Error> end_without_value(std::string why);

  const orchestrator::JobConfig& config_;
  const orchestrator::SessionSpec& spec_;
  const proto::CheckpointCommitted& checkpoint_;
  std::unique_ptr<learn::Task> task_;
  learn::Model model_;
  data::ChunkStates duals_;                    // Absent for a chunk whose dual variables are all 0.
  std::map<ChunkId, std::uint64_t> firsts_{};  // The first sample of each training chunk.
  std::optional<std::string> worthless_;       // The result has it, too (end_without_value()).
};

}  // namespace surety::cli
