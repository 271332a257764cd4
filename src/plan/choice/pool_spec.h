// The specification of a pool of attempts: the promise, the variants and their costs, and the
// knowledge of earlier jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/belief/belief.h"
#include "plan/belief/counts.h"
#include "plan/promise.h"

namespace surety::plan {

struct PoolVariantSpec {
  std::string name;  // Name for the log, such as "prune:0.5 on 2 spot".
  std::uint32_t version = 0;
  std::uint32_t nodes = 0;  // Variants on the same nodes have the same number.
  // Workers on these nodes. None means all workers that are present.
  std::optional<std::uint32_t> workers = {};
  double relative_time = 1;  // Duration of a pass over that of the first variant; a guess.
  double price_per_s = 0;    // Price of all nodes; 0 if they are free.
  double start_s = 0;        // Time before the first pass; a guess.
};

// The guess about a version with this share of the channels: it needs somewhat more passes.
[[nodiscard]] VersionGuess guess_of(double share);

// The knowledge of earlier jobs (from a profile library).
struct EarlierJobs {
  EarlierLaws laws;          // Laws of the parameters of a belief in the spec's versions.
  std::uint32_t jobs = 0;    // Number of jobs that this knowledge comes from.
  std::uint32_t passes = 0;  // Passes of all attempts of these jobs.
  // False: only the model, its training and the form of the data are the same.
  bool same_data = false;
  std::vector<CountedAttempt> first_attempts;  // One for each job, oldest first.
};

struct PoolSpec {
  Metric metric = Metric::kValidationLoss;
  double target = 0;  // Lower is better: an accuracy is given as 1 - accuracy.
  double probability = 0.9;
  // Share of the laws that must keep a promise; also the confidence of counts.
  double confidence = 0.9;
  bool best_effort = false;  // Whether training continues after a refusal.
  bool switches = true;      // Whether attempts may change to fuller versions.
  // All attempts converge to the same model, as for linear models. Then a fresh attempt begins only
  // if no other can continue, and training ends when the metric has settled (plan/pool/settled.h).
  bool one_solution = false;
  // The metric of a model that ignores its input, if it is known. A model that is no better has not
  // learned, and no target that is no better is named.
  std::optional<double> guess{};
  std::uint32_t passes_max = 200;
  // The versions of the model, the full one first; each has a law of its own. If several learning
  // rates are tried, the list of versions is repeated for each rate: `families` groups of equal
  // length. An attempt stays in its family, and the first attempt is of the first family.
  std::vector<std::string> version_names;
  std::vector<VersionGuess> versions;
  std::uint32_t families = 1;
  std::vector<PoolVariantSpec> variants;  // Must not be empty.
  // How the number of workers changes the passes needed, and the number that the guesses about
  // versions are meant for. A variant without a number of workers has that of the last pass. None:
  // the number of workers does not matter.
  std::optional<WorkersLaw> workers_law{};
  std::uint32_t reference_workers = 1;
  std::uint64_t seed = 1;
  std::optional<EarlierJobs> earlier;
};

}  // namespace surety::plan
