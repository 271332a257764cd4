// The nodes of a running job by type: which stay, which were asked for, and who should come or go
// for what a plan wishes.
//
// A node that should go stays as a stand-in while one that should come is not there yet: training
// goes on meanwhile, and the model and the samples always have a holder.
//
// Pure: no clock, no I/O. Not concerned with how a node joins, drains or is reached.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "orchestrator/job.h"
#include "plan/types.h"

namespace surety::orchestrator {

struct NodeWish {
  std::vector<plan::NodeCount> counts;  // By type; empty: of any type.
  std::uint32_t nodes = 0;              // Where counts is empty: at most these; 0: all there are.
  std::uint32_t at_least = 0;           // Of any type, whatever else is wished.
  bool only_first = false;              // Only the first type counts, and others are left alone.
};

struct NodeChange {
  std::vector<WorkerId> released;        // The dearest type first, of a type the newest first.
  std::vector<plan::NodeCount> started;  // Processes to start here; no type twice.
  std::vector<plan::NodeCount> lacking;  // Wished by type, and nobody here can start them.
};

class NodePool {
 public:
  // REQUIRES: at least one type, no name twice. Types in what follows are theirs.
  explicit NodePool(std::vector<NodeTypeSpec> types);

  // Processes were asked for; and then each joins, or ends before that, or cannot be started: then
  // no more of its type are asked for.
  void asked(const plan::NodeCount& nodes);
  void joined(WorkerId worker, const std::string& type, bool local);  // local: one asked for.
  void ended(const std::string& type);
  void not_started(const plan::NodeCount& nodes);
  // So many of this type may run here from now on. What could not be started before may be tried
  // again.
  void available(const plan::NodeCount& nodes);
  // Wants to leave, or is gone; unknown workers are ignored.
  void left(WorkerId worker);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(staying_.size()); }
  [[nodiscard]] std::uint32_t count(const std::string& type) const;
  [[nodiscard]] std::uint32_t awaited() const;                // Of all types.
  [[nodiscard]] std::vector<plan::NodeCount> counts() const;  // In the order of the types.

  // What to do now, for this wish; nothing where it is fulfilled or on its way.
  //
  // ENSURES: never releases below wish.at_least, nor below the number of nodes that is wished;
  // never starts more of a type than may run here. Calling it again after doing so changes nothing.
  // O(types * log(types) + workers).
  [[nodiscard]] NodeChange change(const NodeWish& wish) const;

  // How many more of this type may be started.
  [[nodiscard]] std::uint32_t room(const std::string& type) const;

 private:
  struct Node {
    std::string type;
    bool local = false;
  };
  [[nodiscard]] std::uint32_t room(const NodeTypeSpec& type) const;  // That may still be started.
  [[nodiscard]] std::vector<WorkerId> released(const NodeWish& wish) const;
  void start_at_least(const NodeWish& wish, std::uint32_t staying, NodeChange& change) const;

  std::vector<NodeTypeSpec> types_;
  std::map<WorkerId, Node> staying_;              // joined() adds, left() removes.
  std::map<std::string, std::uint32_t> awaited_;  // Asked for, neither joined nor ended yet.
  std::set<std::string> unavailable_;             // not_started() adds, available() removes.
};

}  // namespace surety::orchestrator
