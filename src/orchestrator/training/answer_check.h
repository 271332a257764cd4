// Checks what workers answer before anything is computed from it: a worker with the token may be
// broken, of another version, or lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/training/barrier.h"
#include "orchestrator/training/orders.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// What is wrong with the numbers of an answer, for example "compute_s is nan, expected ...";
// nothing if they are possible. A loss may be any number: of a model that has diverged it is none.
// O(1).
[[nodiscard]] std::optional<std::string> wrong_number_in(const proto::FromWorker& answer);

// What is wrong with all answers together; nothing if they carry out the order. O(files * chunks).
[[nodiscard]] std::optional<std::string> wrong_in_saved(const SaveOrder& order,
                                                        const Answers& answers);
// `samples`: those that the duality gap must cover.
[[nodiscard]] std::optional<std::string> wrong_in_evaluated(const EvaluateOrder& order,
                                                            const Answers& answers,
                                                            std::uint64_t samples);

}  // namespace surety::orchestrator
