// The time of a run that is not for training, and its price.
//
// Pure functions.
#pragma once

#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::orchestrator {

// Seconds at the end of a run: the best checkpoint is loaded and evaluated once more.
// `evaluation_s`: the longest evaluation so far.
[[nodiscard]] double certify_reserve_s(double evaluation_s, double deadline_s);

// Cost of this time on nodes with this price. Loading is paid for with at most a tenth of the
// budget.
[[nodiscard]] double certify_reserve_cost(double evaluation_s, double deadline_s,
                                          double price_per_s, double budget);

// The least budget that leaves this much for training: certify_reserve_cost() of it remains.
[[nodiscard]] double budget_for_training(double training_cost, double evaluation_s,
                                         double deadline_s, double price_per_s);

// The cost of the time until the first pass begins, at this price: up to twice the time of the
// profile.
[[nodiscard]] double start_cost(const plan::Profile& profile, double price_per_s);

// The longest evaluation of the profile.
[[nodiscard]] double longest_evaluation_s(const plan::Profile& profile);

// Seconds of a run with this deadline before and after its training: its workers need up to twice
// as long to start as those of the profile, and its result is certified.
[[nodiscard]] double outside_training_s(const plan::Profile& profile, double deadline_s);

// The price per second of as many nodes as the profile had, the cheapest ones.
[[nodiscard]] double lowest_price(const plan::Instance& instance, const plan::Profile& profile);

}  // namespace surety::orchestrator
