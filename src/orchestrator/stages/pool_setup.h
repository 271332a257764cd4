// The pool of attempts of a job: its variants (a version on some nodes) and the assumptions about
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/sample.h"
#include "job/job.h"
#include "plan/pool/attempt_pool.h"
#include "plan/types.h"

namespace surety::orchestrator {

// A version of the pool: a version of the model that is trained with this learning rate.
struct RatedVersion {
  std::string version;
  double learning_rate = 0;
};

struct PoolSetup {
  plan::PoolSpec spec;
  std::uint32_t workers = 0;           // The argument of pool_setup().
  std::vector<RatedVersion> versions;  // Indexed by the version of the pool.
  std::vector<std::string> types;      // The types of nodes, by PoolVariantSpec::nodes.
  // The metric of an untrained classifier, if it is known. Networks may begin with a worse metric,
  // which does not mean that they cannot learn.
  std::optional<double> untrained_most;

  [[nodiscard]] const RatedVersion& version_of(std::uint32_t variant) const {
    return versions[spec.variants[variant].version];
  }
};

// `workers`: the number present when training begins. `earlier`: the knowledge of earlier jobs,
// which is ignored if its number of versions differs. The caller sets spec.guess (label_guess.h).
[[nodiscard]] PoolSetup pool_setup(const job::Job& job, const data::Schema& schema,
                                   std::uint32_t workers,
                                   const std::optional<plan::EarlierJobs>& earlier);

}  // namespace surety::orchestrator
