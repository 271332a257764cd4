// What a worker holds from one command to the next: task, model, chunks, and what it has learned.
//
// The committed model is never touched by an iteration. What a step or a switch makes is tentative,
// and becomes the model when a later command says that it was committed (model_iteration).
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
  bool from_task = false;  // The task has tentative state of its own.
};

struct State {
  WorkerId self;
  std::uint64_t split_seed = 0;
  std::optional<std::uint32_t> session;
  std::uint64_t iteration = 0;  // Iteration of the committed model.
  proto::TaskOptions options;
  std::unique_ptr<learn::Task> task;  // Null until the session's first Prepare is carried out.
  learn::Model model;                 // The committed model.
  std::optional<Tentative> tentative;
  std::optional<LearnedWork> learned;  // Work of the last step's iteration; only for local SGD.
  ChunkStore holdings;
  std::map<ChunkId, data::Chunk> validation;  // Read once and kept.
  std::optional<fabric::KnownPorts> ports;    // From the last exchange that we scheduled.

  // Another coordinator, or another run. Samples are kept if they are of use.
  void rejoin(const proto::Welcome& welcome, bool keeps_samples);
  // A session begins: samples stay, and everything that was learned goes.
  void begin_session(const proto::Prepare& order);
  // Makes the tentative model the committed one if the coordinator has committed its iteration, and
  // discards it otherwise.
  void commit_or_discard(std::uint64_t model_iteration);
  // What was learned in another iteration, or of other samples, is discarded.
  void begin_work(const proto::Step& order);
};

}  // namespace surety::worker
