// The training chunks of a session: their owners, the files with their solver state, and their
// progress in this pass.
//
// The directory numbers the chunks of a session from 0; the job uses other ids for them. Only this
// class converts between the two. Each worker joins at most once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/ids.h"
#include "data/sources/chunk.h"
#include "elastic/ownership/directory.h"
#include "orchestrator/session/session_spec.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class SessionChunks {
 public:
  // REQUIRES: there is a chunk; chunks are ascending by id. `state_files`: by the job's chunk ids.
  SessionChunks(std::vector<data::ChunkRange> chunks,
                std::map<std::uint32_t, StateFile> state_files);

  // `chunks_in_memory`: the job's ids of chunks whose samples the worker has; the session may lack
  // some.
  // REQUIRES: not has_joined().
  void join(WorkerId worker, const std::vector<std::uint32_t>& chunks_in_memory);
  [[nodiscard]] bool has_joined(WorkerId worker) const { return joined_.contains(worker); }
  // Both return false for a worker that takes no part.
  bool leave(WorkerId worker);
  bool lose(WorkerId worker);
  // Whether the session does not need the worker: it never joined, or has left and owns no chunk.
  [[nodiscard]] bool is_free(WorkerId worker) const;

  // Begins a pass if the last one is finished. With `whole`, a pass that was cut short does not
  // continue: the next one begins with the chunks that it omitted.
  void begin_pass(bool whole);
  [[nodiscard]] std::size_t count() const { return chunks_.size(); }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  // Share of the samples that are done in this pass.
  [[nodiscard]] double pass_done() const;

  // These are the directory's functions.
  [[nodiscard]] elastic::Boundary boundary(const elastic::BoundaryPolicy& policy);
  void commit(const std::map<WorkerId, std::vector<elastic::Work>>& work) {
    directory_.commit(work);
  }
  [[nodiscard]] const elastic::Directory& directory() const { return directory_; }

  // Adds to a worker's Prepare the chunks that it receives and sends with these grants, and those
  // that it owns afterwards.
  void fill(WorkerId worker, const std::vector<elastic::Grant>& grants,
            proto::Prepare& prepare) const;
  // Whether a recipient of these grants reads solver state from a checkpoint, because no worker
  // hands it over.
  [[nodiscard]] bool read_state(const std::vector<elastic::Grant>& grants) const;
  // All recipients of these grants have answered.
  void confirm(const std::vector<elastic::Grant>& grants);
  // The file holds the current state of its chunks.
  void note_saved(const proto::SavedFile& file);

  [[nodiscard]] const data::ChunkRange& range_of(ChunkId dense) const {
    return chunks_[dense.value];
  }

 private:
  std::vector<data::ChunkRange> chunks_;
  std::map<std::uint32_t, StateFile> state_files_;
  std::uint64_t samples_ = 0;
  elastic::Directory directory_;
  std::set<WorkerId> joined_;
};

}  // namespace surety::orchestrator
