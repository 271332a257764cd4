// From runs to what is said of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record.h"

namespace surety::bench {

struct Share {
  std::uint32_t count = 0, of = 0;

  // "27 of 30 (0.90; 0.76 to 0.97)": exact binomial interval of 90 % (Clopper and Pearson).
  [[nodiscard]] std::string text() const;
  [[nodiscard]] double value() const;  // 0 of none.
  [[nodiscard]] double low() const;    // Ends of that interval; 0 and 1 of none.
  [[nodiscard]] double high() const;
};

// Runs of one job with one probability and one deadline.
struct Count {
  std::uint32_t runs = 0;
  Share kept;         // Of those that were not refused.
  Share kept_loaded;  // Of these, beside a load.
  Share kept_stated;  // Of those that stated a promise.
  // Of those that stated none: the target was reached before, or the deadline came.
  Share kept_unstated;
  Share late;                   // Not certified in time, of those that were not refused.
  std::uint32_t refused = 0;    // The promise was refused.
  std::uint32_t missed = 0;     // Certified above the target, or too late.
  std::uint32_t slow_ends = 0;  // The command went on for over 5 s after what was certified.
  std::uint32_t broken = 0;     // Crashed, hung or stopped: counted as missed too.
};
[[nodiscard]] Count count_of(const std::vector<Record>& records);

// Those of one way, deadline and, where it is above 0, probability.
[[nodiscard]] std::vector<Record> select(const std::vector<Record>& all, const std::string& job,
                                         double deadline_s, const std::string& way,
                                         double probability = 0);

struct Spread {
  double median = 0, mean = 0, low = 0, high = 0;  // Least and largest.
};
// REQUIRES: not empty.
[[nodiscard]] Spread spread_of(std::vector<double> values);
[[nodiscard]] std::vector<double> costs_of(const std::vector<Record>& records);
// All that was spent, over the runs that were kept: what a certified result costs somebody who
// begins anew where there is none. Infinite where none was kept.
[[nodiscard]] double cost_of_kept(const std::vector<Record>& records);

// Those with an index that `others` have too: begun within minutes of them and beside the same kind
// of load. Costs are of wall time, so only such runs are compared.
[[nodiscard]] std::vector<Record> beside(const std::vector<Record>& records,
                                         const std::vector<Record>& others);
// Cost over that of the run of `others` with the same seed, where there is one.
[[nodiscard]] std::vector<double> paired_costs(const std::vector<Record>& records,
                                               const std::vector<Record>& others);

// How much worse the certifying samples show a checkpoint than those that decided to stop there, in
// standard errors of the difference: mean and standard deviation over the runs. By chance alone 0
// and 1; choosing the moment by the deciding samples makes the mean positive.
struct Surprise {
  std::uint32_t runs = 0;
  double mean = 0, sd = 0;
};
[[nodiscard]] Surprise surprise_of(const std::vector<Record>& records);

// Of `ways`, the one with the least median cost; empty where none of them has a run.
[[nodiscard]] std::string cheapest(const std::vector<Record>& all, const std::string& job,
                                   double deadline_s, const std::vector<std::string>& ways);

}  // namespace surety::bench
