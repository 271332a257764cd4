// A simulated worker: commands in, answers out, as runtime/worker_session.h does it for real.
//
// The committed model is never touched by an iteration: what a step or a switch makes is tentative,
// and becomes the model when a later command says that it was committed. A command that a newer one
// replaces is given up, unanswered. What learns is a real task (learn/task.h); what takes time says
// how much of it, and goes on when it is woken.
//
// Differences from the real one: an iteration's sum is computed at one place instead of over shards
// (the same additions in the same order), and its time comes from the network as a whole. In an
// asynchronous iteration (worker/async_iteration.h) a task computes from one merge point to the
// next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "sim/learner.h"
#include "sim/storage.h"
#include "sim/worker_host.h"
#include "worker/async_iteration.h"
#include "worker/holdings.h"
#include "worker/learned_work.h"

namespace surety::sim {

class Worker {
 public:
  // Both must outlive this.
  Worker(const Learner& learner, WorkerHost& host) : learner_(learner), host_(host) {}

  // Under the name that the welcome gives it, without a session; with the samples that are here, if
  // they are of use.
  void join(const proto::Welcome& welcome, bool keeps_samples);
  // The coordinator is lost: nobody waits for the command in hand.
  void give_up();
  // REQUIRES: join() before.
  void command(const proto::ToWorker& command);
  void woken(std::uint64_t token);
  void finished(std::uint64_t sequence, std::span<const float> values);
  void broken(std::uint64_t sequence, WorkerId peer);
  void blob(const BlobTag& tag, std::vector<float> content);
  void sent(std::uint64_t sequence, bool arrived, WorkerId to);
  // For an exchange: a message was received, or one of ours was sent.
  void heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes);
  void left(std::uint64_t exchange, WorkerId to);

  // The next update is merged with a bit turned over: a broken memory.
  void spoil_next_update() { spoils_ = true; }
  [[nodiscard]] Held held() const;
  [[nodiscard]] std::vector<ChunkId> chunks() const { return holdings_.ids(); }

 private:
  struct Tentative {
    std::uint64_t iteration = 0;
    learn::Model model;
    bool from_task = false;
  };
  void settle(std::uint64_t model_iteration);
  void carry_out();
  void reply(proto::FromWorker answer);
  void fail_with(const Error& error, std::optional<WorkerId> blamed = {});
  void wait(double seconds, std::function<void()> then);

  // Between iterations (worker_boundary.cc).
  void prepare();
  [[nodiscard]] Result<void> begin_session(const proto::Prepare& order);
  [[nodiscard]] std::optional<WorkerId> hand_over(const proto::Prepare& order);
  void obtain_model();
  void receive_chunks();
  [[nodiscard]] Result<double> load_chunks(const proto::Prepare& order);
  [[nodiscard]] Result<void> restore_states(const proto::Prepare& order);
  void await_states();
  void prepared();
  void probe();

  void begin_work();
  void step();
  [[nodiscard]] Result<void> local_work(const proto::Step& order, worker::LearnedWork& begun,
                                        double& seconds);
  [[nodiscard]] std::vector<learn::WorkItem> items_in_time(const std::vector<learn::WorkItem>& all,
                                                           double limit_s, double& seconds) const;
  void merge(std::span<const float> sums);
  // ---- asynchronous iterations (worker_exchange.cc) ----
  void exchange_step();
  void learn_piece();
  void look(Result<void> so_far);
  void tick_later();
  void tick(std::uint64_t exchange);
  [[nodiscard]] std::uint32_t batch() const;  // Samples; of CoCoA, 1.
  [[nodiscard]] double wire_scale() const;    // Bytes on the wire for one of the exchange's.
  void end_async_iteration();
  void leave_async_iteration();
  static constexpr std::uint64_t kTick = 1ull << 63;  // In a token: of an exchange's clock.

  void evaluate();
  [[nodiscard]] Result<learn::Evaluation> measured(const proto::Evaluate& order, double& seconds);
  void switch_version();
  void save();

  const Learner& learner_;
  WorkerHost& host_;
  WorkerId self_;
  std::uint64_t split_seed_ = 0;
  std::uint32_t session_ = 0;
  std::uint64_t iteration_ = 0;
  proto::TaskOptions options_;
  std::unique_ptr<learn::Task> task_;
  learn::Model model_;
  std::optional<Tentative> tentative_;
  std::optional<worker::LearnedWork>
      learned_;  // Work of the last step's iteration; local SGD only.
  worker::Holdings holdings_;
  std::map<BlobTag, std::vector<float>> blobs_;
  std::map<BlobTag, double> blob_arrived_s_;
  bool spoils_ = false;

  // The state of the current command.
  proto::ToWorker order_;
  bool busy_ = false;
  std::uint64_t token_ = 0;
  std::function<void()> then_;
  std::function<void(std::span<const float>)> merge_;  // With the round's result.
  bool awaits_states_ = false, in_round_ = false;
  std::uint32_t sends_ = 0;  // Not arrived yet.
  learn::LocalResult local_;
  double began_s_ = 0, computed_s_ = 0;
  std::optional<worker::AsyncIteration> async_;
  // Messages of exchanges that have not begun here.
  std::map<std::uint64_t, std::vector<std::pair<WorkerId, std::vector<std::byte>>>> early_;
  std::optional<fabric::KnownPorts> known_ports_;  // By the last exchange that we scheduled.
};

[[nodiscard]] std::uint64_t checksum_of_model(const learn::Model& model);

}  // namespace surety::sim
