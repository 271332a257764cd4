// What the trainer returns to the owner of its session: commands for workers, the results of
// orders, and workers that cannot do their work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct Command {
  WorkerId to;
  proto::ToWorker message;
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
