// A whole cluster on one thread: the production job machine, simulated workers, network and disks.
//
// The coordinator's shell is a small version of runtime/coordinator/coordinator.h: records are in
// the journal before anything that depends on them is sent, and durable if they must be. Workers
// are launched when the coordinator requests them. They outlive a killed coordinator, and the next
// one learns which are left. A run that fails is resumed from its journal, as a person would resume
// it; its launcher ends the workers that it has started.
//
// Events are handled one after the other; the same options give the same trace, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/job/job_machine.h"
#include "sim/cluster/options.h"
#include "sim/cluster/pipes.h"
#include "sim/cluster/process.h"
#include "sim/cluster/rounds.h"
#include "sim/cluster/storage.h"
#include "sim/cluster/trace.h"
#include "sim/cluster/watch.h"
#include "sim/network/event_queue.h"
#include "sim/network/network.h"

namespace surety::sim {

class Cluster final : public World {
 public:
  explicit Cluster(SimOptions options);
  ~Cluster() override;

  // Runs until the run ends, a violation occurs, or time_max_s is reached.
  SimResult run();
  // Handles one event. False means that there is nothing more to do.
  bool step();

  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] double now_s() const override { return queue_.now_s(); }

  // Faults that a scenario or a seed injects (inject.cc).
  void inject(const Fault& fault);
  void heal();

 private:
  // World, for processes.
  EventQueue& queue() override { return queue_; }
  Network& network() override { return network_; }
  Rounds& rounds() override { return rounds_; }
  Pipes& pipes() override { return pipes_; }
  Checkpoints& checkpoints() override { return checkpoints_; }
  Process* process_of(WorkerId worker) override;
  std::uint64_t connect(std::uint32_t process, const proto::Hello& hello) override;
  void hang_up(std::uint64_t connection) override;
  void receive(std::uint64_t connection, const proto::FromWorker& message) override;
  void on_process_ended(std::uint32_t process, const std::string& how) override;
  void log(const std::string& text) override;
  void learning(WorkerId worker, const Held& held, const proto::ToWorker& order) override;
  void exchanged(WorkerId worker, const Exchanged& what) override;
  Watch& watch() override { return watch_; }
  [[nodiscard]] const SimOptions& options() const override { return options_; }

  // The coordinator (coordinator.cc).
  void begin_run();
  void start_coordinator();
  // Whether workers that the coordinator started live on.
  enum class Workers : std::uint8_t { kStay, kEnd };
  void crash_coordinator(double torn_share, const std::string& why, Workers workers);
  void feed(const orchestrator::Event& event);
  [[nodiscard]] Result<void> carry_out(const orchestrator::Effect& effect);
  void launch(const plan::NodeCount& nodes);
  void disconnect(WorkerId worker);
  void finish(const orchestrator::Finish& finish);
  void tick_later();
  void note(const proto::JournalRecord& record);
  void fold(const proto::JournalRecord& record);
  [[nodiscard]] double run_s() const { return queue_.now_s() + clock_ahead_s_; }

  // Processes and their connections (connections.cc).
  void start_process(const std::string& type, bool local);
  void on_opened(std::uint64_t connection, const proto::Hello& hello);
  void on_closed(std::uint64_t connection, const std::string& why);
  void close(std::uint64_t connection);
  void break_connection(Process& process);
  [[nodiscard]] std::vector<plan::NodeCount> left() const;
  [[nodiscard]] Rounds::Member member(WorkerId worker);
  // The coordinator's machine, those for workers, and some more for workers that join from
  // elsewhere and for processes that end late.
  [[nodiscard]] HostIndex hosts() const { return options_.nodes + 17; }
  [[nodiscard]] HostIndex free_host() const;

  // ---- faults (inject.cc) ----
  [[nodiscard]] Process* pick(const Fault& fault);
  void inject_on(Process& process, const Fault& fault);
  void cut(const Fault& fault);
  void cut_rack(const Fault& fault);
  void demand_progress();

  SimOptions options_;
  Random random_;
  EventQueue queue_;
  Trace trace_;
  Network network_;
  Rounds rounds_;
  Pipes pipes_;
  Checkpoints checkpoints_;
  JournalDisk journal_;
  Watch watch_;
  std::optional<orchestrator::JobMachine> machine_;
  orchestrator::RunState state_;  // Replayed from the journal at the last start.
  std::uint32_t epoch_ = 0;       // Epoch of the coordinator; events of an older epoch are ignored.
  double ticks_at_s_ = -1;
  double ticked_s_ = -1;
  double clock_ahead_s_ = 0;
  std::optional<orchestrator::Finish> finished_;
  std::uint32_t failures_ = 0;
  std::uint32_t restarts_ = 0;
  std::uint32_t faults_ = 0;
  std::map<std::uint32_t, std::unique_ptr<Process>> processes_;  // By process number.
  std::uint32_t last_process_ = 0;
  struct End {
    std::uint32_t process = 0;
    WorkerId worker;  // 0 means that it has not sent a Hello yet.
  };
  // The coordinator's ends of connections. connect() adds; on_closed() and close() remove.
  std::map<std::uint64_t, End> open_;
  std::uint64_t last_connection_ = 0;
  std::set<std::uint32_t> joined_;  // Processes that have sent a Hello to this coordinator.
  struct AdmittedWorker {
    std::uint32_t process = 0;
    std::uint64_t connection = 0;
    std::uint32_t epoch = 0;
  };
  std::map<WorkerId, AdmittedWorker> admitted_;  // For all workers that were ever admitted.
  bool wrote_ = false;  // Records were written since the journal was last compared with the state.
  std::size_t triggered_ = 0;  // Number of options_.triggers that have fired.
};

}  // namespace surety::sim
