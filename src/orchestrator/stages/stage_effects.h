// The effects that a stage (training_stage.h, ...) requests, and its information about the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/sources/chunk.h"
#include "job/job.h"
#include "orchestrator/session/session_spec.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct BeginSession {
  SessionSpec spec;
};
struct TrainPass {
  // Local SGD: the number of workers that the settings are meant for
  // (elastic::Pace::set_reference_workers).
  std::optional<std::uint32_t> workers;
};
struct Measure {};  // Evaluates the deciding split, or the duality gap.
struct SwitchVersion {
  std::string version;
};
// Only this many workers have chunks from now on, and the others rest. None means that all have
// chunks.
struct WorkWith {
  std::optional<std::uint32_t> workers;
};
struct SaveCheckpoint {
  std::string name;  // Names the pass of the model, as "pass-0007".
};
struct Record {
  proto::JournalRecord fact;  // The job machine fills in run_s when it appends the record.
};
struct Remark {  // A line for the log.
  std::string text;
};
struct StageDone {  // There is no further order. The training stages give a reason.
  std::string reason;
  bool target_met = false;
  // The time or the money with which the target would probably have been reached, as a sentence;
  // absent if it is not known.
  std::optional<std::string> enough{};
};
// The user requested a pause: there is no further order until the run is resumed.
struct PauseRun {
  std::string reason;
};
using StageEffect = std::variant<BeginSession, TrainPass, Measure, SwitchVersion, WorkWith,
                                 SaveCheckpoint, Record, Remark, StageDone, PauseRun>;

// The information about the job for each of the three stages: ProfileStage, TrainingStage and
// PoolStage.
struct StageContext {
  job::Job job;
  data::Schema schema;
  std::vector<data::ChunkRange> chunks;  // All training chunks.
  // Workers that the job starts; none if they are started by others.
  std::optional<std::uint32_t> workers;
  bool measures_only = false;  // The run pauses as soon as the promise is stated.
};

}  // namespace surety::orchestrator
