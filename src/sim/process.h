// A simulated worker process: its worker, its machine, its heart, and what befalls it.
//
//   running -> stalled -> running;  running or stalled -> ended
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/options.h"
#include "sim/pipes.h"
#include "sim/rounds.h"
#include "sim/worker.h"

namespace surety::sim {

class Process;

// What processes share.
class World {
 public:
  virtual ~World() = default;
  virtual EventQueue& queue() = 0;
  virtual Network& network() = 0;
  virtual Rounds& rounds() = 0;
  virtual Pipes& pipes() = 0;
  virtual Checkpoints& checkpoints() = 0;
  virtual Process* process_of(WorkerId worker) = 0;  // Null: there never was one.
  virtual void hear(std::uint32_t process, const proto::FromWorker& message) = 0;
  virtual void process_ended(std::uint32_t process, const std::string& how) = 0;
  virtual void learning(WorkerId worker, const Held& held, const proto::ToWorker& order) = 0;
  virtual void exchanged(WorkerId worker, const Exchanged& what) = 0;
  [[nodiscard]] virtual const SimOptions& options() const = 0;
  [[nodiscard]] virtual double now_s() const = 0;
};

struct ProcessStart {
  std::uint32_t number = 0;
  HostIndex host = 0;
  std::string type;
  double speed = 1;
  bool local = false;  // Started by the coordinator.
  std::uint32_t epoch = 0;
};

class Process final : public WorkerHost {
 public:
  Process(World& world, ProcessStart start, Random random);

  [[nodiscard]] const ProcessStart& start() const { return start_; }
  [[nodiscard]] HostIndex host() const { return start_.host; }
  [[nodiscard]] bool runs() const { return !ended_; }
  [[nodiscard]] bool is_silent() const { return silent_; }
  [[nodiscard]] WorkerId worker() const { return id_; }
  [[nodiscard]] bool admitted() const { return id_.value != 0; }

  void admit(WorkerId id);
  void beat();
  // From the coordinator, as it arrives.
  void receive(const proto::ToWorker& message);
  // The coordinator's end of the stream is closed.
  void stream_ended();
  void finished(std::uint64_t sequence, const std::vector<float>& values);
  void broken(std::uint64_t sequence, WorkerId peer);
  void heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes);
  void left(std::uint64_t exchange, WorkerId to);

  // What befalls it.
  void end(const std::string& how, bool silently = false);
  void stall_until(double time_s);
  void go_on();
  void set_slowness(double factor) { slowness_ = factor; }
  void ask_to_leave();
  void spoil_next_update() { worker_.spoil_next_update(); }
  void damage_next_chunk() { damages_ = true; }

  // WorkerHost.
  void answer(const proto::FromWorker& message) override;
  void wake_after(double seconds, std::uint64_t token) override;
  double computing_s(double seconds_at_speed_1) override;
  void join_round(const Round& round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override;
  bool send_blob(WorkerId to, const BlobTag& tag, std::vector<float> content,
                 double bytes) override;
  void join_exchange(std::uint64_t exchange, const std::vector<WorkerId>& members) override;
  void leave_exchange(std::uint64_t exchange) override;
  void send_in_exchange(std::uint64_t exchange, WorkerId to, Parcel parcel) override;
  void learning(const Held& held, const proto::ToWorker& order) override;
  void exchanged(const Exchanged& what) override;
  Result<data::Chunk> load(const data::ChunkRange& range) override;
  Checkpoints& checkpoints() override { return world_.checkpoints(); }
  double now_s() const override { return world_.now_s(); }

 private:
  void soon(std::function<void()> action);  // Now, or when it goes on.

  World& world_;
  ProcessStart start_;
  Random random_;
  Worker worker_;
  WorkerId id_;
  bool ended_ = false, silent_ = false, stalled_ = false, leaving_ = false, damages_ = false;
  std::uint64_t stall_ = 0;  // Number of the stall in hand.
  double slowness_ = 1;
  std::vector<std::function<void()>> backlog_;  // While it is stalled.
};

}  // namespace surety::sim
