// The nodes on which the runs of a study take place, with prices and speeds, and a virtual clock.
//
// The random times of the clock depend only on the run's seed and on the number of its passes. All
// planners meet the same times in the same run and pass (common random numbers).
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
  std::string version;
  std::string node;
  friend auto operator<=>(const Place&, const Place&) = default;
};

class World {
 public:
  // On-demand nodes like the profiled one, and spot nodes, which are cheaper and slower and are
  // sometimes taken away.
  explicit World(const Study& study);

  [[nodiscard]] const std::vector<plan::NodeType>& nodes() const { return nodes_; }
  [[nodiscard]] double price_per_s(const std::string& node) const;
  // Seconds of pass number `pass`, counted from 1, with its evaluation.
  [[nodiscard]] double pass_s(const Place& place, std::uint32_t seed, std::uint32_t pass) const;
  [[nodiscard]] double switch_s(const Place& from, const Place& to) const;
  [[nodiscard]] double certify_s() const { return study_.eval_s; }

  // The distribution that pass_s() draws from, for planners that may know it.
  [[nodiscard]] plan::PassDuration duration(const Place& place) const;

 private:
  [[nodiscard]] const plan::NodeType& node(const std::string& name) const;

  Study study_;
  std::vector<plan::NodeType> nodes_;
};

}  // namespace surety::bench
