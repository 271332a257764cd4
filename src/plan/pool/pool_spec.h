// What a pool of attempts is made for: the promise, the ways to train and what they cost, and what
// earlier jobs have taught.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/pool/belief.h"
#include "plan/pool/counts.h"
#include "plan/promise.h"

namespace surety::plan {

struct PoolVariantSpec {
  std::string name;  // For people: "prune:0.5 on 2 spot".
  std::uint32_t version = 0;
  std::uint32_t nodes = 0;    // Variants of the same nodes share the number.
  std::uint32_t workers = 0;  // On these nodes; 0: whatever workers there are.
  double relative_time = 1;   // A pass, where the first variant's takes 1: a guess.
  double price_per_s = 0;  // Of all nodes; 0: training costs nothing, so that seconds are counted.
  double start_s = 0;      // Before its first pass; a guess.
};

// Of a version with this share of the channels, before anything was measured: it needs somewhat
// more passes.
[[nodiscard]] VersionGuess guess_of(double share);

// What jobs before this one have taught (a profile library).
struct EarlierJobs {
  EarlierLaws laws;          // Of the parameters of a belief in the spec's versions.
  std::uint32_t jobs = 0;    // That it rests on.
  std::uint32_t passes = 0;  // Of their attempts.
  bool same_data = false;  // Else only the model, its training and the form of the data are alike.
  std::vector<CountedAttempt> first_attempts;  // One of each job, oldest first.
};

struct PoolSpec {
  Metric metric = Metric::kValidationLoss;
  double target = 0;  // As the planner minimises: accuracy as 1 - accuracy.
  double probability = 0.9;
  double confidence = 0.9;   // Share of the laws that must keep a promise; also of counts.
  bool best_effort = false;  // Train on where the promise is refused.
  bool switches = true;      // Attempts may go over to fuller versions.
  std::uint32_t passes_max = 200;
  // Ways to train, each with a law of its own: the versions of the model, the full one first. They
  // may be there once for each learning rate: so many families of equal length, one after the
  // other. An attempt stays in its family; the first one is of the first family.
  std::vector<std::string> version_names;
  std::vector<VersionGuess> versions;
  std::uint32_t families = 1;
  std::vector<PoolVariantSpec> variants;  // Not empty.
  // What the number of workers does to the passes needed, and the number that versions' guesses
  // are meant for. Of variants with whatever workers there are, it is the last pass's.
  WorkersLaw workers_law;
  std::uint32_t workers_meant = 1;
  std::uint64_t seed = 1;
  std::optional<EarlierJobs> earlier;

  [[nodiscard]] std::uint32_t family_of(std::uint32_t version) const {
    return version / (static_cast<std::uint32_t>(versions.size()) / families);
  }
  // Which of its family it is.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t version) const {
    return version % (static_cast<std::uint32_t>(versions.size()) / families);
  }
};

}  // namespace surety::plan
