// The pool of attempts of a job: its variants (a version on some nodes) and what is guessed of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/sample.h"
#include "orchestrator/job.h"
#include "plan/pool/attempt_pool.h"
#include "plan/types.h"

namespace surety::orchestrator {

// What a version of the pool is: a version of the model, trained with this rate.
struct PoolWay {
  std::string version;
  double learning_rate = 0;
};

struct PoolPlan {
  plan::PoolSpec spec;
  std::vector<PoolWay> ways;  // By version of the pool.
  // By variant: the nodes that it trains on. Empty: whatever workers there are.
  std::vector<std::vector<plan::NodeCount>> counts;
  // What an untrained classifier shows, where that is known: networks may begin with worse, which
  // says nothing about learning.
  double untrained_most = 0;  // 0: not known.
};

// Whether `surety run` trains by a pool. Data sets that may be dropped need a profile that measured
// fractions of the data, and a plan.
[[nodiscard]] bool has_pool(const Job& job);

// `workers`: that there are when training begins. `earlier`: what is known from earlier jobs; it is
// left aside where it is of another number of versions.
[[nodiscard]] PoolPlan pool_plan(const Job& job, const data::Schema& schema, std::uint32_t workers,
                                 const std::optional<plan::EarlierJobs>& earlier);

}  // namespace surety::orchestrator
