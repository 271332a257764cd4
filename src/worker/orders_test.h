// Commands to worker 1, which holds chunk 3 and is alone in its job.
#pragma once

#include <cstdint>

#include "proto/surety.pb.h"

namespace surety::worker {

inline constexpr std::uint32_t kSamples = 8;

inline proto::ToWorker command(std::uint64_t sequence, std::uint64_t model_iteration) {
  proto::ToWorker message;
  message.set_sequence(sequence);
  message.set_model_iteration(model_iteration);
  return message;
}

// A new model, and one chunk, whose state comes from another worker if there is a sender.
inline proto::ToWorker prepare(std::uint64_t sequence, std::uint32_t sender = 0) {
  proto::ToWorker message = command(sequence, 0);
  proto::Prepare& order = *message.mutable_prepare();
  order.set_session(1);
  order.mutable_model()->set_fresh(true);
  proto::ChunkGrant& grant = *order.add_grants();
  grant.mutable_range()->set_id(3);
  grant.mutable_range()->set_count(kSamples);
  if (sender > 0) grant.set_from(sender);
  order.add_owned(3);
  return message;
}

inline proto::ToWorker step(std::uint64_t sequence, std::uint64_t iteration, bool averages = true) {
  proto::ToWorker message = command(sequence, iteration - 1);
  proto::Step& order = *message.mutable_step();
  order.set_iteration(iteration);
  order.set_averages(averages);
  order.add_members()->set_worker(1);
  order.add_weights(1);
  proto::WorkItem& item = *order.add_items();
  item.set_chunk(3);
  item.set_count(kSamples);
  return message;
}

}  // namespace surety::worker
