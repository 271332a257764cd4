// The nodes of a running job by type: those that stay, those that were requested, and those that
// should join or leave for the target of a plan.
//
// A node that should leave stays as a substitute until the node that should join has joined. So
// training continues, and the model and the samples always have a holder.
//
// Pure: no clock, no I/O. It does not implement how a node joins, drains or is reached.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "job/job.h"
#include "plan/types.h"

namespace surety::orchestrator {

struct NodeTarget {
  std::vector<plan::NodeCount> counts;  // By type; empty means nodes of any type.
  // If counts is empty: at most this many; none means all nodes.
  std::optional<std::uint32_t> nodes;
  std::uint32_t at_least = 0;  // Minimum number of nodes of all types together.
  // Only the first type counts, and nodes of other types neither join nor leave.
  bool only_first = false;
};

struct NodeChange {
  // Nodes of the most expensive type come first, and within a type the newest first.
  std::vector<WorkerId> released;
  std::vector<plan::NodeCount> started;  // Processes to start here; each type occurs once.
  std::vector<plan::NodeCount> lacking;  // Nodes wanted by type that cannot be started here.
};

// a - b, or 0 if that is negative.
[[nodiscard]] constexpr std::uint32_t minus_or_zero(std::uint32_t a, std::uint32_t b) {
  return a > b ? a - b : 0;
}

class NodePool {
 public:
  // REQUIRES: at least one type, and distinct names. Types in the other functions are among these.
  explicit NodePool(std::vector<job::NodeTypeSpec> types);

  // Processes were requested. Each then joins, ends before it joins, or cannot be started. In the
  // last case no more of its type are requested.
  void on_requested(const plan::NodeCount& nodes);
  // `joined_by_itself`: it is none of the requested processes.
  void on_joined(WorkerId worker, const std::string& type, bool joined_by_itself);
  void on_ended(const std::string& type);
  void on_not_started(const plan::NodeCount& nodes);
  // Sets the number of nodes of this type that may run here. Types that could not be started before
  // may be tried again.
  void set_available(const plan::NodeCount& nodes);
  // From now on one node less of this type may run here.
  void give_up(const std::string& type);
  // The worker wants to leave, or has left or is lost; unknown workers are ignored.
  void on_left(WorkerId worker);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(staying_.size()); }
  [[nodiscard]] std::uint32_t count(const std::string& type) const;
  // Processes of all types that were requested and have not joined.
  [[nodiscard]] std::uint32_t awaited() const;
  [[nodiscard]] std::vector<plan::NodeCount> counts() const;  // They have the order of the types.

  // The changes that are needed for this target; nothing if it is reached, or will be when the
  // requested nodes have joined.
  //
  // ENSURES: never releases below node_target.at_least, nor below the number of nodes that is
  // wanted. Never starts more of a type than may run here. After the change is carried out, a
  // second call changes nothing. O(types * log(types) + workers).
  [[nodiscard]] NodeChange change(const NodeTarget& node_target) const;

  // The number of further nodes of this type that may be started.
  [[nodiscard]] std::uint32_t room(const std::string& type) const;

 private:
  struct Node {
    std::string type;
    bool joined_by_itself = false;
  };
  // The number of further nodes that may be started.
  [[nodiscard]] std::uint32_t room(const job::NodeTypeSpec& type) const;
  [[nodiscard]] std::vector<WorkerId> released(const NodeTarget& node_target) const;
  void start_at_least(const NodeTarget& node_target, std::uint32_t staying,
                      NodeChange& change) const;

  std::vector<job::NodeTypeSpec> types_;
  std::map<WorkerId, Node> staying_;              // on_joined() adds, on_left() removes.
  std::map<std::string, std::uint32_t> awaited_;  // Requested, and neither joined nor ended yet.
  std::set<std::string> unavailable_;             // on_not_started() adds, set_available() removes.
};

}  // namespace surety::orchestrator
