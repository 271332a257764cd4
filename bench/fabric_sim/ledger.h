// Records what happened to every block of every update, independently of the scheduler, to judge a
// run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/fabric_sim/granted_round.h"

namespace surety::bench::sim {

struct StalenessSum {
  double versions = 0;
  double read_to_commit_s = 0;
  std::uint64_t count = 0;
  std::uint64_t most = 0;
};

class Ledger {
 public:
  explicit Ledger(std::uint32_t blocks) : blocks_(blocks), versions_(blocks, 0) {}

  // State of a model's block when a pull starts.
  struct Read {
    std::uint64_t version = 0;
    double at_s = 0;
  };
  using Model = std::vector<Read>;  // One entry for each block.

  void on_accepted(const fabric::UpdateId& update, const Model& read);
  // The owner applies the block of all members, in the order of its updates.
  void on_applied(const GrantedRound& round, double now_s);
  void on_dropped(const fabric::UpdateId& update, fabric::BlockMask blocks);
  // The scheduler reports that the update is complete. Returns whether a part of it was applied.
  [[nodiscard]] bool on_done(const fabric::UpdateId& update);

  [[nodiscard]] std::uint64_t version(std::uint32_t block) const { return versions_[block]; }
  [[nodiscard]] const StalenessSum& staleness() const { return staleness_; }
  void forget_staleness() { staleness_ = {}; }
  [[nodiscard]] std::uint32_t round_members_most() const { return members_most_; }
  // The error; empty if there is none.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  void add_violation(std::string what) { violations_.push_back(std::move(what)); }

 private:
  struct Update {
    Model read;
    fabric::BlockMask applied = 0;
    fabric::BlockMask dropped = 0;
  };
  std::uint32_t blocks_;
  std::vector<std::uint64_t> versions_;  // Number of updates applied to each block.
  // on_accepted() adds, on_done() removes.
  std::map<fabric::UpdateId, Update> live_;
  StalenessSum staleness_;
  std::uint32_t members_most_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace surety::bench::sim
