// The time and the money of a run that are not for training.
//
// Pure functions.
#pragma once

#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// Seconds at the end of a run: the best checkpoint is loaded and evaluated once more.
// `evaluation_s`: the longest evaluation so far.
[[nodiscard]] double certify_reserve_s(double evaluation_s, double deadline_s);

// What a run with this deadline needs before and after its training: its workers need up to twice
// as long to start as those of the profile, and its result is certified. Meanwhile it pays for as
// many nodes as the profile had, the most expensive ones.
[[nodiscard]] plan::Reserved outside_training(const plan::Instance& instance,
                                              const plan::Profile& profile, double deadline_s);

}  // namespace surety::orchestrator
