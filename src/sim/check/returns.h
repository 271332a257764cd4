// Checks that workers survive their coordinator and keep their chunks, and that each process has
// one id at a time.
//
// It records which chunks each process has read and was never told to free, under which ids it was
// admitted, and since when it has no coordinator. A process calls again with all chunks that it
// held and with an id that it had. It does not read chunks that it holds, and is not present under
// two ids. It ends when it has waited for its whole waiting time, and not before. A restarted
// coordinator launches at most the allowed number of workers, less the remaining ones, plus those
// that it lost in the phase gather. The number of launched workers that take part is never above
// the allowed number.
//
// If a command is replaced before its end, a process may hold more chunks than recorded, but never
// fewer. It frees a chunk that it read for a replaced Prepare if the newer Prepare does not keep
// the chunk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "plan/types.h"
#include "sim/check/check.h"

namespace surety::sim {

struct ReturnsOptions {
  double wait_s = 0;        // How long an admitted process waits for the next coordinator.
  double patience_s = 60;   // How long a process that was not admitted waits.
  std::uint32_t local = 0;  // Workers that a coordinator may launch, of all types together.
};

class Returns final : public Check {
 public:
  explicit Returns(ReturnsOptions options) : options_(options) {}

  // A coordinator begins while these processes of earlier coordinators run; it launches further
  // ones.
  void on_begin(const std::vector<plan::NodeCount>& remaining);
  void on_launch(std::uint32_t count);
  // The process with this number was launched.
  void on_launched(std::uint32_t process) { launched_processes_.insert(process); }
  // A launched process has ended before its first call.
  void on_never_called() { ++lost_; }
  // The coordinator receives this Hello, and then admits the process with an id.
  void on_hello(std::uint32_t process, const proto::Hello& hello);
  void on_admitted(std::uint32_t process, WorkerId worker);
  // The process receives its id.
  void on_welcomed(std::uint32_t process, WorkerId worker);
  // The process has lost its coordinator.
  void on_lost(std::uint32_t process, double now_s);
  // The process ends, because it found no coordinator.
  void on_gave_up(std::uint32_t process, double now_s);
  // The process gets this Prepare, and then reads this chunk to keep it.
  void on_prepare(std::uint32_t process, const proto::Prepare& order);
  void on_read(std::uint32_t process, ChunkId chunk);

  void on_gone(WorkerId worker) override;
  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_answer(WorkerId from, const proto::FromWorker& message) override;
  void on_append(const proto::JournalRecord& record) override;
  void on_restart(const std::vector<proto::JournalRecord>&) override { present_.clear(); }

  [[nodiscard]] std::uint64_t chunks_read() const { return chunks_read_; }

 private:
  struct ProcessRecord {
    std::set<ChunkId> held;
    std::optional<std::set<ChunkId>> kept;  // Chunks that its last Prepare lets it keep.
    std::set<WorkerId> names;
    WorkerId called_as;  // Its id in its last Hello.
    std::optional<double> lost_at_s;
  };

  ReturnsOptions options_;
  std::map<std::uint32_t, ProcessRecord> records_;  // The key is the number of the process.
  std::map<WorkerId, std::uint32_t> present_;  // The process of each id that the coordinator has.
  bool gathers_ = false;                       // The coordinator has just begun.
  std::uint32_t remaining_ = 0;                // Processes of earlier coordinators at that time.
  std::uint32_t launched_ = 0;                 // Processes launched at that time.
  std::uint32_t lost_ = 0;                     // Workers lost at that time.
  std::set<std::uint32_t> launched_processes_;
  // Workers that asked to leave: their replacements may be present before they leave.
  std::set<WorkerId> leaving_;
  std::uint64_t chunks_read_ = 0;
};

}  // namespace surety::sim
