// What the first attempts of earlier jobs with the same data let this job promise, and what they
// forbid (counts.h).
//
// Each version is allotted its passes before anything is counted. After the first pass of the first
// attempt a promise may rest on the counts alone: on the share of attempts that are good, and on
// how many of them there is time for. None may rest on the laws of learning where so many attempts
// have failed that the counts allow no such share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/pool/counts.h"

namespace surety::plan {

struct AllottedPasses {
  std::string version;
  std::uint32_t passes = 0;
};

// The only attempt of this job so far.
struct AttemptInHand {
  std::uint32_t version = 0;
  std::uint32_t passes = 0;              // Done; from 1.
  double target = 0, probability = 0.9;  // As stop_metric() has them.
  double seconds_left = 0;               // To the deadline, or until the money is spent.
  double pass_s = 0;                     // Of a slow pass.
  double start_s = 0;                    // Of another attempt.
};

struct CountedPromise {
  double probability = 0;
  std::string argument;
};

class EarlierCounts {
 public:
  EarlierCounts() = default;  // Nothing can be counted.
  // `allotted`: of each version, or empty.
  EarlierCounts(std::vector<CountedAttempt> attempts, std::vector<AllottedPasses> allotted,
                double confidence);

  // After the first pass only: the bound is for attempts that are all looked at alike.
  [[nodiscard]] std::optional<CountedPromise> promise(const AttemptInHand& hand,
                                                      double probability) const;
  [[nodiscard]] bool forbid(const AttemptInHand& hand, double probability) const;

 private:
  // The attempt is within its allotted passes.
  [[nodiscard]] bool speak_of(const AttemptInHand& hand) const;
  [[nodiscard]] Counts counts(const AttemptInHand& hand) const;
  // Attempts that there is time for, with the one in hand.
  [[nodiscard]] std::uint32_t room(const AttemptInHand& hand) const;

  std::vector<CountedAttempt> attempts_;
  std::vector<AllottedPasses> allotted_;  // By version.
  double confidence_ = 0.9;
};

}  // namespace surety::plan
