// The specification of a training session and the results of its orders, for the owner of the
// session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "elastic/policy/policies.h"
#include "job/job.h"
#include "orchestrator/session/saved_model.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct Command {
  WorkerId to;
  proto::ToWorker message;
};

// A checkpoint file with the per-sample state of chunks.
struct StateFile {
  std::string path;
  std::uint64_t checksum = 0;
};

struct SessionSpec {
  proto::TaskOptions task;
  std::vector<data::ChunkRange> chunks;  // Chunks in use, by ascending id.
  bool cocoa = false;                    // An iteration is a pass; weights are 1; w = A alpha.
  // With cocoa: line search along the sum of updates, up to the maximum of the dual.
  bool line_search = false;
  std::optional<SavedModel> saved;  // The first model; none means a fresh one, from the seed.
  std::map<std::uint32_t, StateFile> state_files;  // The key is the chunk's id.
  // Workers that may take part, those with the lowest ids; the others wait. None means all.
  std::optional<std::uint32_t> workers_max;
  // Passes done before this session; they determine the order of samples.
  std::uint32_t first_pass = 0;
  std::uint32_t tasks_per_node = 1;  // Used only with CoCoA.
  elastic::Policies policies;
  elastic::OnResize on_resize = elastic::OnResize::kKeepBatch;  // Used only without CoCoA.
  job::ModeSpec mode{};  // Synchronous or asynchronous, and how.
  // Time constant of the model average (learn/network/weight_average.h), without cocoa; absent: no
  // average.
  std::optional<double> average_passes;
  // If set: a worker counts as hanging (Barrier::hung()) if it has not answered a command, of any
  // kind, this long after the others.
  std::optional<double> patience_s{};
};

// The result of an order. After each one the session's owner gives the next order.
struct Begun {};
struct PassFinished {
  std::uint32_t pass = 0;  // Passes done in this session, first_pass included.
  double seconds = 0;
  std::uint64_t samples = 0;
  std::uint32_t workers = 0;  // Workers with chunks in the last iteration.
  std::uint32_t present = 0;  // Workers that take part and are not leaving, resting ones included.
  std::map<WorkerId, double> samples_per_s;  // Samples per second of computing time.
  std::vector<double> iteration_s;  // Seconds of each iteration, from the end of the one before.
  std::uint32_t again = 0;          // Iterations that were aborted and repeated.
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
  WorkerId from;
  WorkerId to;
  // Absent if one of the two workers is not present any more, or did not measure it.
  std::optional<double> bytes_per_s;
};
// The session must begin again from a checkpoint. Either all workers that held the model are lost,
// or one was lost before the measured model was saved, and the others cannot compute the same model
// again.
struct ModelLost {
  std::string why;
};
// The checkpoint from which the session should start does not contain the saved model.
struct CheckpointUnreadable {
  Error error;
};
// An error that no other worker could avoid.
struct FatalError {
  Error error;
};
using TrainerEvent =
    std::variant<Begun, PassFinished, EvaluationFinished, SwitchFinished, SaveFinished,
                 ProbeFinished, ModelLost, CheckpointUnreadable, FatalError>;

// The event that the job waits for, and the time since which it waits: "3 of 4 workers have read
// their samples".
struct Waiting {
  std::string what;
  double since_s = 0;  // Seconds since the run began.
};

// A worker that cannot do its work, although others may. The trainer waits for it until it is
// declared lost.
struct FaultyWorker {
  WorkerId worker;
  std::string reason;
  proto::Fault fault = proto::FAULT_MACHINE;
};

struct Outcome {
  std::vector<Command> commands;
  std::vector<TrainerEvent> events;
  std::vector<FaultyWorker> faulty;
  // The decisions of the policies with their reasons, for the log.
  std::vector<std::string> remarks;
};

}  // namespace surety::orchestrator
