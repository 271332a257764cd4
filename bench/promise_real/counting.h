// Counts and statistics of recorded runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record.h"

namespace surety::bench {

struct Share {
  std::uint32_t count = 0;
  std::uint32_t of = 0;

  // The text is, for example, "27 of 30 (0.90; 0.76 to 0.97)", with the exact binomial interval of
  // 90 % (Clopper and Pearson).
  [[nodiscard]] std::string text() const;
  [[nodiscard]] double value() const;  // 0 if `of` is 0.
  [[nodiscard]] double low() const;    // Lower end of that interval; 0 if `of` is 0.
  // Upper end of that interval; 1 if `of` is 0.
  [[nodiscard]] double high() const;
};

// Counts of the runs of one job with one probability and one deadline.
struct Count {
  std::uint32_t runs = 0;
  Share kept;         // Kept runs, of those that were not refused.
  Share kept_loaded;  // Kept runs, of the unrefused ones beside a load.
  Share kept_stated;  // Kept runs, of those that stated a promise.
  // Kept runs, of those that stated none: the target was reached before, or the deadline came.
  Share kept_unstated;
  // Runs that did not keep the promise, of those that were not refused.
  Share late;
  std::uint32_t refused = 0;    // Runs whose promise was refused.
  std::uint32_t missed = 0;     // Runs that were neither refused nor kept.
  std::uint32_t slow_ends = 0;  // Runs whose command took over 5 s longer than the certified time.
  // Runs that crashed, hung or were stopped; they also count as missed.
  std::uint32_t broken = 0;
};
[[nodiscard]] Count count_of(const std::vector<Record>& records);

// The records of one way and deadline, and of one probability if that is above 0.
[[nodiscard]] std::vector<Record> select(const std::vector<Record>& all, const std::string& job,
                                         double deadline_s, const std::string& way,
                                         double probability = 0);

struct Spread {
  // `low` is the smallest value, `high` the largest.
  double median = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
};
// REQUIRES: `values` is not empty.
[[nodiscard]] Spread spread_of(std::vector<double> values);
[[nodiscard]] std::vector<double> costs_of(const std::vector<Record>& records);
// The cost of all runs divided by the number of runs that kept the promise. This is the cost of a
// certified result for a user who repeats the run until there is one. Infinite if no run kept it.
[[nodiscard]] double cost_of_kept(const std::vector<Record>& records);

// The records whose index also occurs in `others`: such runs began within minutes of each other,
// beside the same kind of load. Costs are wall time, so only such runs are compared.
[[nodiscard]] std::vector<Record> beside(const std::vector<Record>& records,
                                         const std::vector<Record>& others);
// The cost of each run divided by that of the run in `others` with the same seed, if there is one.
[[nodiscard]] std::vector<double> paired_costs(const std::vector<Record>& records,
                                               const std::vector<Record>& others);

// The metric of a checkpoint on the certifying samples less that on the deciding samples, by which
// training stopped, in standard errors of the difference. Mean and standard deviation over the
// runs; chance alone gives 0 and 1. The mean is positive because the deciding samples chose the
// moment.
struct Surprise {
  std::uint32_t runs = 0;
  double mean = 0;
  double sd = 0;
};
[[nodiscard]] Surprise surprise_of(const std::vector<Record>& records);

// The way in `ways` with the smallest median cost; empty if none of them has a run.
[[nodiscard]] std::string cheapest(const std::vector<Record>& all, const std::string& job,
                                   double deadline_s, const std::vector<std::string>& ways);

}  // namespace surety::bench
