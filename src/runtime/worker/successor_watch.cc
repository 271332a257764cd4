#include "runtime/worker/successor_watch.h"

#include <optional>

namespace surety::runtime {

namespace {

// The run's coordinator according to its folder, if it is later than `term`.
std::optional<CoordinatorFile> later_coordinator(const std::filesystem::path& run,
                                                 std::uint32_t term) {
  const Result<std::optional<CoordinatorFile>> file = read_coordinator_file(run);
  if (file && *file && (*file)->term > term) return **file;
  return std::nullopt;
}

}  // namespace

SuccessorWatch::SuccessorWatch(std::filesystem::path run, std::uint32_t term,
                               std::function<void(const CoordinatorFile&)> found)
    : run_(std::move(run)),
      term_(term),
      found_(std::move(found)),
      thread_([this] { this->run(); }) {}

SuccessorWatch::~SuccessorWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void SuccessorWatch::run() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kPollInterval, [&] { return stopping_; })) {
    lock.unlock();
    if (const auto later = later_coordinator(run_, term_)) return found_(*later);
    lock.lock();
  }
}

}  // namespace surety::runtime
