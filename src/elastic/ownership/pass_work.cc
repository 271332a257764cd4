#include "elastic/ownership/pass_work.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace surety::elastic {

Quotas::Quotas(std::uint32_t of_each) : of_others_(of_each) { SURETY_CHECK(of_each > 0); }

Quotas::Quotas(std::map<WorkerId, std::uint32_t> by_worker) : by_worker_(std::move(by_worker)) {}

std::uint32_t Quotas::of(WorkerId worker) const {
  const auto found = by_worker_.find(worker);
  return found == by_worker_.end() ? of_others_ : found->second;
}

PassWork::PassWork(std::span<const ChunkSize> chunks) {
  progress_.reserve(chunks.size());
  for (const ChunkSize& chunk : chunks) {
    SURETY_CHECK(chunk.id.value == progress_.size());
    progress_.push_back({.samples = chunk.samples});
  }
}

std::vector<std::size_t> PassWork::visiting_order() const {
  std::vector<std::size_t> order(progress_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [this](std::size_t i) { return progress_[i].cut_short; });
  return order;
}

std::map<WorkerId, std::vector<Work>> PassWork::work(std::span<const ChunkOwner> owners,
                                                     const Quotas& quotas) const {
  SURETY_CHECK(owners.size() == progress_.size());
  std::map<WorkerId, std::uint32_t> room;
  std::map<WorkerId, std::vector<Work>> work;
  for (const std::size_t i : visiting_order()) {
    SURETY_CHECK(owners[i].state == Ownership::kOwned);
    const WorkerId owner = owners[i].owner;
    std::uint32_t& left = room.try_emplace(owner, quotas.of(owner)).first->second;
    const std::uint32_t count = std::min(progress_[i].samples - progress_[i].done, left);
    if (count == 0) continue;
    left -= count;
    work[owner].push_back({.chunk = ChunkId{static_cast<std::uint32_t>(i)},
                           .version = owners[i].version,
                           .first = progress_[i].done,
                           .count = count});
  }
  return work;
}

bool PassWork::is_next(const Work& work) const {
  const Progress& progress = progress_[work.chunk.value];
  return progress.done == work.first && work.count > 0 &&
         work.count <= progress.samples - progress.done;
}

void PassWork::commit(const Work& work) {
  SURETY_CHECK(is_next(work));
  progress_[work.chunk.value].done += work.count;
}

std::uint64_t PassWork::samples_left() const {
  std::uint64_t left = 0;
  for (const Progress& progress : progress_) left += progress.samples - progress.done;
  return left;
}

void PassWork::begin() {
  SURETY_CHECK(samples_left() == 0);
  cut_short();  // No samples are left, so no chunk is marked.
}

std::uint64_t PassWork::cut_short() {
  const std::uint64_t left = samples_left();
  for (Progress& progress : progress_) {
    progress.cut_short = progress.done < progress.samples;
    progress.done = 0;
  }
  return left;
}

}  // namespace surety::elastic
