#include "worker/state/state.h"

#include <utility>

namespace surety::worker {

void State::rejoin(const proto::Welcome& welcome, bool keeps_samples) {
  self = WorkerId{welcome.worker()};
  split_seed = welcome.split_seed();
  chunks.take_back();
  if (!keeps_samples) {
    chunks.clear();
    validation.clear();
  }
  session.reset();  // The next session that is prepared is a new one in any case.
  task.reset();
  tentative.reset();
  learned.reset();
}

void State::begin_session(const proto::Prepare& order) {
  task.reset();
  tentative.reset();
  learned.reset();
  chunks.forget_states();
  model = {};
  options = order.task();
  session = order.session();
}

void State::commit_or_discard(std::uint64_t model_iteration) {
  if (!tentative) return;
  if (tentative->iteration == model_iteration) {
    model = std::move(tentative->model);
    iteration = model_iteration;
    if (tentative->from_task) task->commit(chunks.own_for_task());
    learned.reset();
  } else if (tentative->from_task && !learned) {
    task->discard();
  }
  tentative.reset();
}

void State::begin_work(const proto::Step& order) {
  if (learned && learned->is_of(order)) return;
  task->discard();
  learned.reset();
}

}  // namespace surety::worker
