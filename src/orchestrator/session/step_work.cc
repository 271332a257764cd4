#include "orchestrator/session/step_work.h"

#include <algorithm>
#include <utility>

namespace surety::orchestrator {

std::uint64_t samples_of(const std::vector<elastic::Work>& work) {
  std::uint64_t samples = 0;
  for (const elastic::Work& piece : work) samples += piece.count;
  return samples;
}

void StepWork::begin(WorkByWorker fresh, const elastic::Directory& directory) {
  given_ = std::move(fresh);
  for (const auto& [worker, begun] : begun_) {
    const auto is_current = [&, of = worker](const elastic::Work& piece) {
      return directory.is_current(of, piece);
    };
    if (given_.contains(worker) && std::ranges::all_of(begun, is_current)) given_[worker] = begun;
  }
}

void StepWork::abort(bool is_kept) {
  WorkByWorker given = std::exchange(given_, {});
  if (is_kept) begun_ = std::move(given);
}

Result<WorkByWorker> StepWork::done(const Answers& answers) const {
  for (const auto& [worker, answer] : answers) {
    if (answer.step_done().samples() > 0 && !given_.contains(worker)) {
      return fail(ErrorCode::kCorrupt, "worker {} has trained on {} samples, but was given none",
                  worker, answer.step_done().samples());
    }
  }
  WorkByWorker done;
  for (const auto& [worker, work] : given_) {
    const std::uint64_t samples = answers.at(worker).step_done().samples();
    if (samples > samples_of(work)) {
      return fail(ErrorCode::kCorrupt, "worker {} has trained on {} samples, but was given {}",
                  worker, samples, samples_of(work));
    }
    done[worker] = elastic::first_of(work, samples);
  }
  return done;
}

void StepWork::commit() {
  given_.clear();
  begun_.clear();
}

}  // namespace surety::orchestrator
