// Checks the answers of workers before anything is computed from them, because a worker with the
// token may be faulty, of another version, or malicious.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/session/barrier.h"
#include "orchestrator/session/orders.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// The error in the numbers of an answer, for example "compute_s is nan, expected ..."; none if the
// numbers are possible. A loss may be any number, and also NaN, for a model that has diverged.
// O(1).
[[nodiscard]] std::optional<std::string> wrong_number_in(const proto::FromWorker& answer);

// The error in all answers together; none if they carry out the order. O(files * chunks).
[[nodiscard]] std::optional<std::string> wrong_in_saved(const SaveOrder& order,
                                                        const Answers& answers);
// `samples`: those that the duality gap must cover.
[[nodiscard]] std::optional<std::string> wrong_in_evaluated(const EvaluateOrder& order,
                                                            const Answers& answers,
                                                            std::uint64_t samples);

}  // namespace surety::orchestrator
