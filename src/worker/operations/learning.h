// The part of a step that computes: what a worker learns from its samples, up to the time at which
// it is late. It is a background computation (host.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/operations/host.h"
#include "worker/state/state.h"

namespace surety::worker {

struct Learned {
  // What was learned: the change from the model on which this call began.
  std::vector<float> update;
  learn::LocalResult result{};  // Covers the first samples of the items.
  // When learning began, after the preparation of the model if there was one.
  Time began{};
  Time ended{};
  // The worker was late before all items were learned.
  bool is_late = false;
};

// One call of learning: on `model`, from `items`.
struct LearningCall {
  std::vector<learn::WorkItem> items;
  const learn::Model& model;
  bool continues = false;      // The task learned the beginning of this work before.
  bool is_end = true;          // No samples of this iteration follow, so CoCoA needs the slopes.
  std::optional<Time> late{};  // When the worker is late; absent if the order has no limit.
};

// Defect if an item is of a chunk that this worker does not hold.
[[nodiscard]] Result<void> check_items(const proto::Step& order, const State& state);
// When a worker that begins at `began` is late; absent if the order has no limit.
[[nodiscard]] std::optional<Time> late_at(const proto::Step& order, Time began);
// The seconds from `now` until `late`; absent if it is.
[[nodiscard]] std::optional<double> late_s(const std::optional<Time>& late, Time now);

// REQUIRES: learned.began is set. Local SGD: if learning ends early for any reason, `learned`
// contains the work until then. CoCoA: Unavailable if learning was stopped, and then no work is
// kept.
[[nodiscard]] Result<void> call_learning(const proto::Step& order, const LearningCall& call,
                                         State& state, const Host& host, const WorkLimits& limits,
                                         Learned& learned);

}  // namespace surety::worker
