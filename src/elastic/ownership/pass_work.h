// Records which samples of each chunk were visited in the current pass, and assigns the remaining
// ones.
//
// The samples of a chunk are visited in their order, so one number for each chunk determines which
// are done. It grows only by commit(): work that was assigned but not committed does not count, and
// is assigned again. So each sample counts at most once in a pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/chunk_owners.h"
#include "elastic/ownership/ownership.h"

namespace surety::elastic {

// The number of samples that each worker may get in one iteration. Made from one number or from a
// map.
class Quotas {
 public:
  Quotas(std::uint32_t of_each);  // Each worker may get this number. REQUIRES: of_each > 0.
  // A worker that is not in the map gets no samples.
  Quotas(std::map<WorkerId, std::uint32_t> by_worker);

  [[nodiscard]] std::uint32_t of(WorkerId worker) const;

 private:
  std::map<WorkerId, std::uint32_t> by_worker_;
  std::uint32_t of_others_ = 0;
};

class PassWork {
 public:
  struct Progress {
    std::uint32_t samples = 0;  // Number of samples of the chunk.
    std::uint32_t done = 0;     // Samples committed in this pass, at most `samples`.
    bool cut_short = false;     // The last pass did not visit all of its samples.
  };

  // A pass begins. REQUIRES: chunks[i].id.value == i.
  explicit PassWork(std::span<const ChunkSize> chunks);

  // Work for one iteration: for each worker, at most its quota of the remaining samples of its own
  // chunks. Chunks that the last pass cut short come first, then the order is by chunk id. Workers
  // without remaining samples are not in the map. REQUIRES: `owners` has each chunk, by id, and
  // each is Owned. O(chunks * log(workers)).
  [[nodiscard]] std::map<WorkerId, std::vector<Work>> work(std::span<const ChunkOwner> owners,
                                                           const Quotas& quotas) const;
  // Whether these are the chunk's next samples, at least one. REQUIRES: the chunk exists.
  [[nodiscard]] bool is_next(const Work& work) const;
  void commit(const Work& work);  // REQUIRES: is_next(work).

  [[nodiscard]] std::uint64_t samples_left() const;
  void begin();  // Begins the next pass. REQUIRES: samples_left() == 0.
  // Begins the next pass although some samples were not visited in this one; their chunks come
  // first in the next one. Returns the number of samples not visited.
  std::uint64_t cut_short();

  // Indexed by chunk id.
  [[nodiscard]] std::span<const Progress> progress() const { return progress_; }

 private:
  [[nodiscard]] std::vector<std::size_t> visiting_order() const;

  std::vector<Progress> progress_;
};

}  // namespace surety::elastic
