// The workers that are present, with their addresses, whether they take part in a session or not.
//
// A worker stays from join() to remove(). In between it may declare once that it leaves. Lists are
// in the order of the ids.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class Roster {
 public:
  // `chunks_in_memory`: the chunks whose samples it has in memory.
  void join(WorkerId worker, std::string address, std::vector<std::uint32_t> chunks_in_memory);
  // Returns false if the worker is not present, or is already leaving.
  bool leave(WorkerId worker);
  void remove(WorkerId worker) { members_.erase(worker); }

  [[nodiscard]] bool contains(WorkerId worker) const { return members_.contains(worker); }
  [[nodiscard]] std::vector<WorkerId> leaving() const;
  [[nodiscard]] std::vector<WorkerId> staying() const;

  // REQUIRES: contains().
  [[nodiscard]] const std::vector<std::uint32_t>& chunks_in_memory(WorkerId worker) const;
  // The worker has taken part in a session, which gave it other chunks. REQUIRES: contains().
  void forget_samples(WorkerId worker);

  // REQUIRES: contains().
  [[nodiscard]] proto::Peer peer(WorkerId worker) const;
  // All workers, including leaving ones.
  [[nodiscard]] std::vector<proto::Peer> peers() const;

 private:
  struct Member {
    std::string address;
    bool is_leaving = false;
    std::vector<std::uint32_t> chunks_in_memory;
  };

  [[nodiscard]] std::vector<WorkerId> those_that(bool leave) const;

  std::map<WorkerId, Member> members_;
};

}  // namespace surety::orchestrator
