// The specification of a training session, from the owner of the session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/sources/chunk.h"
#include "elastic/policy/policies.h"
#include "job/job.h"
#include "orchestrator/session/saved_model.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

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

}  // namespace surety::orchestrator
