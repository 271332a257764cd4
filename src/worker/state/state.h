// The state of a worker between commands: its task, model and chunks, and the work that it has
// learned.
//
// An iteration never changes the committed model. The model of a step or a switch is tentative. It
// becomes the committed model when a later command states that its iteration was committed
// (model_iteration).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "data/sources/chunk.h"
#include "fabric/exchange/options.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/state/chunk_store.h"
#include "worker/state/learned_work.h"

namespace surety::worker {

struct Tentative {
  std::uint64_t iteration = 0;
  learn::Model model;
  // The task has tentative state of its own. A Step sets it, unless the Step only adds up again
  // what was learned before (resum). A Switch does not set it.
  bool from_task = false;
};

struct State {
  WorkerId self;  // Id of this worker, from the last Welcome.
  // From the last Welcome. It determines the half of each validation sample (data/split.h).
  std::uint64_t split_seed = 0;
  // Number of the current session. It is absent from a Welcome until the next Prepare.
  std::optional<std::uint32_t> session;
  std::uint64_t iteration = 0;        // Iteration of the committed model.
  proto::TaskOptions options;         // Options of the session's task, from its first Prepare.
  std::unique_ptr<learn::Task> task;  // Null until the session's first Prepare is carried out.
  learn::Model model;                 // The committed model.
  std::optional<Tentative> tentative;
  std::optional<LearnedWork> learned;  // Work of the last step's iteration; only for local SGD.
  ChunkStore chunks;
  std::map<ChunkId, data::Chunk> validation;  // Read once and kept.
  // What this worker knows about the ports of all workers. It is absent before the end of the first
  // exchange that this worker has scheduled.
  std::optional<fabric::KnownPorts> ports;

  // The worker belongs to another coordinator or another run. Samples are kept if `keeps_samples`
  // is set.
  void rejoin(const proto::Welcome& welcome, bool keeps_samples);
  // Begins a session: the samples stay, and everything that was learned is discarded.
  void begin_session(const proto::Prepare& order);
  // Makes the tentative model the committed one if the coordinator has committed its iteration, and
  // discards it otherwise.
  void commit_or_discard(std::uint64_t model_iteration);
  // Discards work that was learned in another iteration or from other samples.
  void begin_work(const proto::Step& order);
};

}  // namespace surety::worker
