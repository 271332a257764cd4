// What a stage (stages.h) wants done next, and what it needs to know of the job.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/chunk.h"
#include "orchestrator/job.h"
#include "orchestrator/session.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct BeginSession {
  SessionSpec spec;
};
struct TrainPass {
  std::uint32_t workers = 0;  // Local SGD: whose settings these are (elastic::Pace::mean).
};
struct Measure {};  // On the deciding split, or the gap.
struct SwitchVersion {
  std::string version;
};
struct WorkWith {  // So many workers have chunks from now on, and the others rest; 0: all have.
  std::uint32_t workers = 0;
};
struct SaveCheckpoint {
  std::string name;  // "pass-0007": which model it is of.
};
struct Record {
  proto::JournalRecord fact;  // run_s is filled in by who appends it.
};
struct Remark {  // For the log.
  std::string text;
};
struct StageDone {  // No further order; for training with why.
  std::string reason;
  bool target_met = false;
};
struct PauseRun {  // As the user asked: no further order until the run is resumed.
  std::string reason;
};
using StageEffect = std::variant<BeginSession, TrainPass, Measure, SwitchVersion, WorkWith,
                                 SaveCheckpoint, Record, Remark, StageDone, PauseRun>;

// What both need of the job.
struct StageContext {
  Job job;
  data::Schema schema;
  std::vector<data::ChunkRange> chunks;  // All of them.
  std::uint32_t workers = 0;             // That the job starts; 0: it leaves that to others.
  bool measures_only = false;            // As JobConfig's.
};

}  // namespace surety::orchestrator
