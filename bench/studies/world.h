// Where the runs of a study take place: nodes with prices and speeds, and a virtual clock.
//
// The clock's luck depends on the run's seed and on how many passes it has had, on nothing else:
// all planners meet the same luck in the same run and pass (common random numbers).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/studies/study.h"
#include "plan/laws/time_model.h"
#include "plan/promise.h"
#include "plan/types.h"

namespace surety::bench {

// A version on one node of a type.
struct Place {
  std::string version, node;
  friend auto operator<=>(const Place&, const Place&) = default;
};

class World {
 public:
  // On-demand nodes as the profiled one, and spot nodes: cheaper, slower, taken away now and then.
  explicit World(const Study& study);

  [[nodiscard]] const std::vector<plan::NodeType>& nodes() const { return nodes_; }
  [[nodiscard]] double price_per_s(const std::string& node) const;
  // Of pass number `pass`, from 1, with its evaluation.
  [[nodiscard]] double pass_s(const Place& place, std::uint32_t seed, std::uint32_t pass) const;
  [[nodiscard]] double switch_s(const Place& from, const Place& to) const;
  [[nodiscard]] double certify_s() const { return study_.eval_s; }

  // The laws of time that it draws from, for those who may know them.
  [[nodiscard]] plan::PassDuration duration(const Place& place) const;

 private:
  [[nodiscard]] const plan::NodeType& node(const std::string& name) const;

  Study study_;
  std::vector<plan::NodeType> nodes_;
};

}  // namespace surety::bench
