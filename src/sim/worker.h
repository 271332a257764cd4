// A simulated worker: commands in, answers out, as runtime/worker_session.h does it for real.
//
// The committed model is never touched by an iteration: what a step or a switch makes is tentative,
// and becomes the model when a later command says that it was committed. A command that a newer one
// replaces is given up, unanswered. What learns is a real task (learn/task.h); what takes time says
// how much of it, and goes on when it is woken.
//
// Differences from the real one: an iteration's sum is computed at one place instead of over shards
// (the same additions in the same order), and its time comes from the network as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "sim/check/check.h"
#include "sim/learner.h"
#include "sim/storage.h"

namespace surety::sim {

struct BlobTag {
  std::uint64_t round = 0;
  WorkerId sender;
  std::uint32_t step = 0;
  friend auto operator<=>(const BlobTag&, const BlobTag&) = default;
};

// A sum over members, or a distribution from those that have the values to the others.
struct Round {
  std::uint64_t sequence = 0;
  std::vector<WorkerId> holders;  // Distribution only.
  std::vector<WorkerId> members;  // Ascending; without holders.
  std::vector<float> weights;     // One a member.
  double bytes = 0;               // Of the whole vector, on the wire.
};

// What a worker needs of the world.
class WorkerHost {
 public:
  virtual ~WorkerHost() = default;
  virtual void answer(const proto::FromWorker& message) = 0;
  // Worker::woken(token) after so many seconds; a stalled node wakes late.
  virtual void wake_after(double seconds, std::uint64_t token) = 0;
  // Seconds that so much work takes here, now: the node's speed and its noise.
  virtual double computing_s(double seconds_at_speed_1) = 0;
  // Worker::finished() or Worker::broken().
  virtual void join_round(const Round& round, std::vector<float> values) = 0;
  virtual void leave_round(std::uint64_t sequence) = 0;
  // False: nobody is at that address any more. Worker::sent() when it has arrived.
  virtual bool send_blob(WorkerId to, const BlobTag& tag, std::vector<float> content,
                         double bytes) = 0;
  virtual void learning(const Held& held, const proto::ToWorker& order) = 0;  // For checkers.
  virtual Result<data::Chunk> load(const data::ChunkRange& range) = 0;
  virtual Checkpoints& checkpoints() = 0;
  virtual double now_s() const = 0;
};

class Worker {
 public:
  // Both must outlive this.
  Worker(const Learner& learner, WorkerHost& host) : learner_(learner), host_(host) {}

  void command(const proto::ToWorker& command);
  void woken(std::uint64_t token);
  void finished(std::uint64_t sequence, std::span<const float> values);
  void broken(std::uint64_t sequence, WorkerId peer);
  void blob(const BlobTag& tag, std::vector<float> content);
  void sent(std::uint64_t sequence, bool arrived, WorkerId to);

  // The next update is merged with a bit turned over: a broken memory.
  void spoil_next_update() { spoils_ = true; }
  [[nodiscard]] Held held() const;

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

  void step();
  [[nodiscard]] Result<learn::LocalResult> local_work(const proto::Step& order,
                                                      std::span<float> update, double& seconds);
  [[nodiscard]] std::vector<learn::WorkItem> items_in_time(const proto::Step& order,
                                                           double& seconds) const;
  void merge(std::span<const float> sums);
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
  std::map<ChunkId, data::Chunk> chunks_;
  std::map<ChunkId, data::Chunk> frozen_;  // Handed over; ours again at the next prepare.
  std::map<BlobTag, std::vector<float>> blobs_;
  std::map<BlobTag, double> blob_arrived_s_;
  bool spoils_ = false;

  // Of the command in hand.
  proto::ToWorker order_;
  bool busy_ = false;
  std::uint64_t token_ = 0;
  std::function<void()> then_;
  std::function<void(std::span<const float>)> merge_;  // With the round's result.
  bool awaits_states_ = false, in_round_ = false;
  std::uint32_t sends_ = 0;  // Not arrived yet.
  learn::LocalResult local_;
  double began_s_ = 0, computed_s_ = 0;
};

[[nodiscard]] std::uint64_t checksum_of_model(const learn::Model& model);

}  // namespace surety::sim
