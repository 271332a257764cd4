// A simulated worker process: machine, heartbeats, coordinator, files and faults around the
// worker's step machine (worker/session.h). It does what runtime/worker/worker.cc and
// runtime/worker/worker_host.cc do for real.
//
// Differences from the real process: an iteration's sum is computed at one place instead of over
// shards (the same additions in the same order), and its time comes from the network as a whole.
// What computes, reads and writes says how long it takes (work_cost.h).
//
//   running -> stalled -> running;  running or stalled -> ended
//
// The real code (worker/coordinator_binding.h) decides which coordinator it belongs to, and when it
// calls a lost one again. A call takes no time: it is answered if a coordinator runs and no
// direction between the two is cut. Each call is a new connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "sim/check/check.h"
#include "sim/cluster/connections.h"
#include "sim/cluster/options.h"
#include "sim/cluster/pipes.h"
#include "sim/cluster/rounds.h"
#include "sim/cluster/storage.h"
#include "sim/cluster/watch.h"
#include "sim/cluster/work_cost.h"
#include "worker/coordinator_binding.h"
#include "worker/session.h"

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
  virtual Connections& connections() = 0;
  virtual void on_process_ended(std::uint32_t process, const std::string& how) = 0;
  virtual void log(const std::string& text) = 0;
  virtual Watch& watch() = 0;
  [[nodiscard]] virtual const SimOptions& options() const = 0;
};

struct ProcessStart {
  std::uint32_t number = 0;
  HostIndex host = 0;
  std::string type;
  double speed = 1;
  bool local = false;  // A coordinator started it.
};

class Process final : public worker::Host, public worker::Files {
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
  void spoil_next_update() { spoils_ = true; }
  void damage_next_chunk() { damages_ = true; }

  // ---- worker::Host ----
  [[nodiscard]] Time now() const override { return Time{from_seconds(world_.queue().now_s())}; }
  void answer(const proto::FromWorker& message) override;
  void wake_after(Duration delay, std::uint64_t timer) override;
  void start(worker::Work work) override;
  void stop_work() override;
  void rejoin(WorkerId self) override { static_cast<void>(self); }
  void know(const proto::Peer& peer) override { static_cast<void>(peer); }
  [[nodiscard]] Result<void> connect(WorkerId worker) override;
  void join_round(worker::Round round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override;
  [[nodiscard]] Result<void> send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                       std::uint64_t zeros) override;
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) override;
  void discard_blobs_before(std::uint64_t sequence) override;
  void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) override;
  void leave_exchange(std::uint64_t sequence) override;
  void send_in_exchange(std::uint64_t sequence, WorkerId to,
                        fabric::Exchange::Send message) override;
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override;
  [[nodiscard]] fabric::KnownPorts first_ports() const override;
  void adapt(fabric::ExchangeOptions& options) const override;
  void on_exchanged(std::uint64_t sequence, const std::vector<float>& before,
                    const std::vector<float>& after, const std::vector<double>& sum) override;

  // ---- worker::Files ----
  void use_sources(const proto::Welcome& welcome) override { static_cast<void>(welcome); }
  [[nodiscard]] Result<std::vector<data::Chunk>> read_chunks(
      const std::vector<data::ChunkRange>& ranges) override;
  [[nodiscard]] std::string place_of(const data::ChunkRange& range) const override;
  [[nodiscard]] Result<learn::Model> load_model(const std::string& path) override;
  [[nodiscard]] Result<worker::ChunkStates> load_states(
      const std::string& path, std::uint64_t checksum, const std::vector<ChunkId>& wanted) override;
  [[nodiscard]] Result<proto::SavedFile> save_model(const std::string& path,
                                                    const learn::Model& model) override;
  [[nodiscard]] Result<proto::SavedFile> save_states(
      const std::string& path, const std::map<ChunkId, data::Chunk>& chunks) override;

 private:
  void soon(std::function<void()> action);  // Runs the action now, or when a stall ends.
  void call();
  void lose(const Error& why);
  void welcomed(const proto::Welcome& welcome);
  void beat(std::uint64_t connection);
  void look_at_connection();
  [[nodiscard]] proto::Hello hello() const;

  // The work that is under way.
  struct UnderWay {
    std::uint64_t number = 0;
    double began_s = 0;
    worker::Work work;
    WorkCost cost;
    std::optional<Result<void>> outcome;  // Absent: it is computed at its end.
  };
  using Messages = std::vector<std::pair<WorkerId, std::vector<std::byte>>>;
  // Seconds that so much work takes here, now: the node's speed and its noise.
  [[nodiscard]] double computing_s(double seconds_at_speed_1);
  void end_work(std::uint64_t number);
  void pass_on_early();
  [[nodiscard]] WorkerId self() const { return session_.state().self; }
  // How many bytes of the network one byte of the model stands for: a simulated model has few
  // values.
  [[nodiscard]] double wire_scale() const;
  [[nodiscard]] Held held() const;

  World& world_;
  ProcessStart start_;
  Random random_;
  bool spoils_ = false;  // The next update is merged with a bit turned over: a broken memory.
  worker::Session session_;
  worker::CoordinatorBinding ties_;
  WorkerId id_;
  // call() sets it, lose() clears it. While it is 0, the process waits for a coordinator.
  std::uint64_t connection_ = 0;
  // Since then nothing that it sends over the connection arrives.
  std::optional<double> cut_since_s_;
  bool ended_ = false;
  bool silent_ = false;
  bool stalled_ = false;
  bool leaving_ = false;
  bool damages_ = false;     // The next chunk that it reads is damaged.
  std::uint64_t stall_ = 0;  // Number of the current stall.
  double slowness_ = 1;
  std::vector<std::function<void()>> backlog_;  // Actions that wait for the end of a stall.
  std::optional<UnderWay> work_;
  std::uint64_t last_work_ = 0;
  std::map<fabric::Tag, std::vector<std::byte>> blobs_;
  std::uint64_t exchange_ = 0;               // The last exchange that it joined.
  bool is_in_exchange_ = false;              // It has not left that exchange.
  std::map<std::uint64_t, Messages> early_;  // Messages of exchanges that have not begun here.
};

}  // namespace surety::sim
