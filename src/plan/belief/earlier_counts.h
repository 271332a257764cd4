// Decides which promises the first attempts of earlier jobs with the same data allow or forbid
// (counts.h).
//
// The number of passes of each version is fixed ("allotted") before anything is counted. After the
// first pass of the first attempt a promise may rest on the counts alone: on the share of good
// attempts, and on the number of attempts that the time allows. If so many attempts failed that the
// counts contradict such a promise, it may not rest on the laws of learning either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/belief/counts.h"

namespace surety::plan {

struct AllottedPasses {
  std::string version;
  std::uint32_t passes = 0;
};

// The only attempt of this job so far.
struct OngoingAttempt {
  std::uint32_t version = 0;
  std::uint32_t passes = 0;  // Passes done, at least 1.
  double target = 0;         // An argument of stop_metric().
  double probability = 0.9;  // An argument of stop_metric().
  double seconds_left = 0;   // Seconds to the deadline, or until the money is spent.
  double pass_s = 0;         // Duration of a slow pass.
  double start_s = 0;        // Start of another attempt, in seconds.
};

struct CountedPromise {
  double probability = 0;
  std::string argument;
};

class EarlierCounts {
 public:
  EarlierCounts() = default;  // Without earlier attempts: nothing is counted.
  // `allotted`: one entry for each version, or empty.
  EarlierCounts(std::vector<CountedAttempt> attempts, std::vector<AllottedPasses> allotted,
                double confidence);

  // Used only after the first pass, because the bound requires that all attempts are judged at the
  // same point.
  [[nodiscard]] std::optional<CountedPromise> promise(const OngoingAttempt& current,
                                                      double probability) const;
  [[nodiscard]] bool forbids(const OngoingAttempt& current, double probability) const;

 private:
  // Whether the attempt is within its allotted passes.
  [[nodiscard]] bool covers(const OngoingAttempt& current) const;
  [[nodiscard]] Counts counts(const OngoingAttempt& current) const;
  // Number of attempts that the time allows, including the current one.
  [[nodiscard]] std::uint32_t room(const OngoingAttempt& current) const;

  std::vector<CountedAttempt> attempts_;
  std::vector<AllottedPasses> allotted_;  // One entry for each version.
  double confidence_ = 0.9;
};

}  // namespace surety::plan
