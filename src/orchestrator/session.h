// A training session as its owner sees it: what it starts from, what orders come to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/chunk.h"
#include "elastic/policies.h"
#include "orchestrator/job.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct Command {
  WorkerId to;
  proto::ToWorker message;
};

// A file of a checkpoint with the per-sample state of chunks.
struct StateFile {
  std::string path;
  std::uint64_t checksum = 0;
};

// Where a session's first model comes from.
struct SessionSpec {
  proto::TaskOptions task;
  std::vector<data::ChunkRange> chunks;  // In use; ascending ids.
  bool cocoa = false;                    // An iteration is a pass; weights are 1; w = A alpha.
  bool line_search = false;  // With cocoa: the sum is followed as far as the dual rises.
  std::string checkpoint;    // Model file; empty: fresh, by the task's seed.
  std::uint64_t checkpoint_checksum = 0;  // Of the model that was saved there; 0: nobody knows.
  std::string version = "full";           // Of that model.
  std::map<std::uint32_t, StateFile> state_files;  // By chunk.
  std::uint32_t workers_max = 0;     // Take part, lowest ids first; the others wait. 0: all.
  std::uint32_t first_pass = 0;      // Passes done before (they fix the order of samples).
  std::uint32_t tasks_per_node = 1;  // With cocoa.
  elastic::Policies policies;
  elastic::OnResize on_resize = elastic::OnResize::kKeepBatch;  // Without cocoa.
  ModeSpec mode{};                                              // Without cocoa.
  double average_passes = 0;  // Of models (learn/weight_average.h), without cocoa; 0: none.
};

// What an order came to; a session's owner gives the next one after each.
struct Begun {};
struct PassFinished {
  std::uint32_t pass = 0;  // Passes done in this session, first_pass included.
  double seconds = 0;
  std::uint64_t samples = 0;
  double loss_sum = 0;
  std::uint32_t workers = 0;                 // In the last iteration, without those that rest.
  std::uint32_t present = 0;                 // Taking part and not leaving; some may rest.
  std::map<WorkerId, double> samples_per_s;  // Computing only.
  std::vector<double> iteration_s;  // Of each, with all that came before it since the last one.
  std::uint32_t again = 0;          // Iterations that were void and done again.
};
struct EvaluationFinished {
  proto::Sums sums;
  double seconds = 0;
  std::uint64_t model_checksum = 0;
};
struct SwitchFinished {
  double seconds = 0;
};
struct SaveFinished {
  std::string folder;
  std::vector<proto::SavedFile> files;
  std::uint64_t model_iteration = 0;
  std::uint64_t model_checksum = 0;
};
struct ProbeFinished {
  WorkerId from, to;
  double bytes_per_s = 0;  // 0: one of the two is gone.
};
// Begin again from a checkpoint: every worker that held the model is gone, or one was lost before
// the model that had been measured was saved, and the others cannot make the same one again.
struct ModelLost {
  std::string why;
};
struct CheckpointUnreadable {  // What the session was to start from is not what was saved.
  Error error;
};
struct Trouble {  // No worker can do better.
  Error error;
};
using Notice = std::variant<Begun, PassFinished, EvaluationFinished, SwitchFinished, SaveFinished,
                            ProbeFinished, ModelLost, CheckpointUnreadable, Trouble>;

// What is waited for, and since when: "3 of 4 workers have read their samples".
struct Waiting {
  std::string what;
  double since_s = 0;  // Seconds since the run began.
};

struct Outcome {
  std::vector<Command> commands;
  std::vector<Notice> notices;
  std::vector<std::string> remarks;  // What the policies did, and why; for the log.
};

}  // namespace surety::orchestrator
