#include "sim/check/returns.h"

#include <algorithm>
#include <utility>

#include "certificate/run_phase.h"

namespace surety::sim {
namespace {

constexpr double kRoundingS = 1e-6;

}  // namespace

void Returns::on_begin(const std::vector<plan::NodeCount>& remaining) {
  gathers_ = true;
  remaining_ = launched_ = lost_ = 0;
  for (const plan::NodeCount& nodes : remaining) remaining_ += nodes.count;
}

void Returns::on_launch(std::uint32_t count) {
  launched_ += count;
  const std::uint32_t may_run = options_.local + lost_;
  const std::uint32_t room = may_run > remaining_ ? may_run - remaining_ : 0;
  if (!gathers_ || launched_ <= room) return;
  violated(fmt::format("{} workers are started, although {} of {} are still running", launched_,
                       remaining_, options_.local));
}

// Workers that are lost after the phase gather are not counted.
void Returns::on_append(const proto::JournalRecord& record) {
  if (!record.has_phase_began()) return;
  if (record.phase_began().phase() != name_of(certificate::RunPhase::kGather)) gathers_ = false;
}

void Returns::on_hello(std::uint32_t process, const proto::Hello& hello) {
  ProcessRecord& record = records_[process];
  record.called_as = WorkerId{hello.worker()};
  if (hello.worker() != 0 && !record.names.contains(record.called_as)) {
    violated(fmt::format("process {} calls with the id of worker {}, which it never had", process,
                         hello.worker()));
  }
  for (const ChunkId chunk : record.held) {
    if (std::find(hello.chunks().begin(), hello.chunks().end(), chunk.value) !=
        hello.chunks().end()) {
      continue;
    }
    violated(fmt::format("process {} calls again without chunk {}, which it held", process, chunk));
  }
}

void Returns::on_admitted(std::uint32_t process, WorkerId worker) {
  const ProcessRecord& record = records_[process];
  const auto before = present_.find(record.called_as);
  if (before != present_.end() && before->second == process) {
    violated(fmt::format("process {} is present as worker {} and as worker {}", process,
                         before->first, worker));
  }
  present_[worker] = process;
}

void Returns::on_gone(WorkerId worker) {
  present_.erase(worker);
  ++lost_;
}

void Returns::on_answer(WorkerId from, const proto::FromWorker& message) {
  if (message.has_leaving()) leaving_.insert(from);
}

// A surplus worker must be dismissed before any worker gets work.
void Returns::on_command(WorkerId, const proto::ToWorker& message) {
  if (!message.has_prepare()) return;
  const auto there = std::ranges::count_if(present_, [&](const auto& worker) {
    return launched_processes_.contains(worker.second) && !leaving_.contains(worker.first);
  });
  if (std::cmp_less_equal(there, options_.local)) return;
  violated(fmt::format("{} launched workers take part, although only {} may run here", there,
                       options_.local));
}

void Returns::on_welcomed(std::uint32_t process, WorkerId worker) {
  records_[process].names.insert(worker);
  records_[process].lost_at_s.reset();
}

void Returns::on_lost(std::uint32_t process, double now_s) {
  ProcessRecord& record = records_[process];
  if (!record.lost_at_s) record.lost_at_s = now_s;
}

void Returns::on_gave_up(std::uint32_t process, double now_s) {
  const ProcessRecord& record = records_[process];
  const double waited_s = now_s - record.lost_at_s.value_or(now_s);
  const double wait_s = record.names.empty() ? options_.patience_s : options_.wait_s;
  if (waited_s >= wait_s - kRoundingS) return;
  violated(fmt::format("process {} ends after {:.3g} s without a coordinator, expected {:.3g} s",
                       process, waited_s, wait_s));
}

void Returns::on_prepare(std::uint32_t process, const proto::Prepare& order) {
  std::set<ChunkId> kept;
  for (const std::uint32_t id : order.owned()) kept.insert(ChunkId{id});
  for (const proto::HandOver& out : order.hand_overs()) kept.insert(ChunkId{out.chunk()});
  ProcessRecord& record = records_[process];
  std::erase_if(record.held, [&](ChunkId chunk) { return !kept.contains(chunk); });
  record.kept = std::move(kept);
}

void Returns::on_read(std::uint32_t process, ChunkId chunk) {
  ++chunks_read_;
  ProcessRecord& record = records_[process];
  // A newer Prepare frees the chunk at once.
  if (record.kept && !record.kept->contains(chunk)) return;
  if (record.held.insert(chunk).second) return;
  violated(fmt::format("process {} reads chunk {} again, which it holds", process, chunk));
}

}  // namespace surety::sim
