// A simulated worker process: its worker, machine, heartbeats, coordinator and faults. It does what
// runtime/worker.cc does for real.
//
//   running -> stalled -> running;  running or stalled -> ended
//
// The real code (worker/ties.h) decides which coordinator it belongs to, and when it calls a lost
// one again. A call takes no time: it is answered if a coordinator runs and no direction between
// the two is cut. Each call is a new connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/check/returns.h"
#include "sim/options.h"
#include "sim/pipes.h"
#include "sim/rounds.h"
#include "sim/worker.h"
#include "worker/ties.h"

namespace surety::sim {

class Process;

// What all processes share.
class World {
 public:
  virtual ~World() = default;
  virtual EventQueue& queue() = 0;
  virtual Network& network() = 0;
  virtual Rounds& rounds() = 0;
  virtual Pipes& pipes() = 0;
  virtual Checkpoints& checkpoints() = 0;
  virtual Process* process_of(WorkerId worker) = 0;  // Null if there never was such a worker.
  // Connects this process to the coordinator, which receives `hello` first; 0 means no answer.
  virtual std::uint64_t connect(std::uint32_t process, const proto::Hello& hello) = 0;
  // The process has closed the connection, or receives nothing more over it.
  virtual void hang_up(std::uint64_t connection) = 0;
  virtual void hear(std::uint64_t connection, const proto::FromWorker& message) = 0;
  virtual void process_ended(std::uint32_t process, const std::string& how) = 0;
  virtual void say(const std::string& text) = 0;
  // Reports to the checkers.
  virtual void learning(WorkerId worker, const Held& held, const proto::ToWorker& order) = 0;
  virtual void exchanged(WorkerId worker, const Exchanged& what) = 0;
  virtual void wrote_model(const std::string& path, std::uint64_t checksum) = 0;
  virtual Returns& returns() = 0;
  [[nodiscard]] virtual const SimOptions& options() const = 0;
  [[nodiscard]] virtual double now_s() const = 0;
};

struct ProcessStart {
  std::uint32_t number = 0;
  HostIndex host = 0;
  std::string type;
  double speed = 1;
  bool local = false;  // A coordinator started it.
};

class Process final : public WorkerHost {
 public:
  Process(World& world, ProcessStart start, Random random);

  [[nodiscard]] const ProcessStart& start() const { return start_; }
  [[nodiscard]] HostIndex host() const { return start_.host; }
  [[nodiscard]] bool runs() const { return !ended_; }
  [[nodiscard]] bool is_silent() const { return silent_; }
  // The id of its last Welcome; 0 means that there was none.
  [[nodiscard]] WorkerId worker() const { return id_; }
  [[nodiscard]] bool admitted() const { return id_.value != 0; }
  [[nodiscard]] std::uint64_t connection() const { return connection_; }  // 0 means none.

  // It is ready to work, and calls the coordinator.
  void begin() { call(); }
  // A message from the coordinator arrives.
  void receive(std::uint64_t connection, const proto::ToWorker& message);
  // The coordinator has closed the connection, or the connection broke.
  void stream_ended(std::uint64_t connection);
  void finished(std::uint64_t sequence, const std::vector<float>& values);
  void broken(std::uint64_t sequence, WorkerId peer);
  void heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes);
  void left(std::uint64_t exchange, WorkerId to);

  // ---- faults ----
  void end(const std::string& how, bool silently = false);
  void stall_until(double time_s);
  void go_on();
  void set_slowness(double factor) { slowness_ = factor; }
  void ask_to_leave();
  void spoil_next_update() { worker_.spoil_next_update(); }
  void damage_next_chunk() { damages_ = true; }

  // ---- WorkerHost ----
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
  fabric::PortBytes port_bytes() override;
  void learning(const Held& held, const proto::ToWorker& order) override;
  void exchanged(const Exchanged& what) override;
  void wrote_model(const std::string& path, std::uint64_t checksum) override {
    world_.wrote_model(path, checksum);
  }
  void has_read(ChunkId chunk) override { world_.returns().has_read(start_.number, chunk); }
  Result<data::Chunk> load(const data::ChunkRange& range) override;
  Checkpoints& checkpoints() override { return world_.checkpoints(); }
  double now_s() const override { return world_.now_s(); }

 private:
  void soon(std::function<void()> action);  // Runs the action now, or when a stall ends.
  void call();
  void lose(const Error& why);
  void welcomed(const proto::Welcome& welcome);
  void beat(std::uint64_t connection);
  void look_at_connection();
  [[nodiscard]] proto::Hello hello() const;

  World& world_;
  ProcessStart start_;
  Random random_;
  Worker worker_;
  worker::Ties ties_;
  WorkerId id_;
  // call() sets it, lose() clears it. While it is 0, the process waits for a coordinator.
  std::uint64_t connection_ = 0;
  // Since then nothing that it sends over the connection arrives.
  std::optional<double> cut_since_s_;
  bool ended_ = false, silent_ = false, stalled_ = false, leaving_ = false, damages_ = false;
  std::uint64_t stall_ = 0;  // Number of the current stall.
  double slowness_ = 1;
  std::vector<std::function<void()>> backlog_;  // Actions that wait for the end of a stall.
};

}  // namespace surety::sim
