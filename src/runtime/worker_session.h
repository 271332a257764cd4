// What a worker holds, and what it does when it is told to: task, model, chunks, connections.
//
// The committed model is never touched by an iteration: what a step or a switch makes is tentative,
// and becomes the model when a later command says that it was committed (model_iteration). A
// command that a newer one has replaced is given up at the next look and stays unanswered. What was
// learned for it is kept where it can be gone on from (worker/learned_work.h).
//
// Used by one thread; `superseded` is set by another.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "fabric/exchange/exchange.h"
#include "fabric/ports/sum_ports.h"
#include "fabric/round.h"
#include "learn/task.h"
#include "proto/surety.pb.h"
#include "worker/holdings.h"
#include "worker/learned_work.h"

namespace surety::runtime {

class UpdateDesk;

struct WorkerSessionOptions {
  learn::TaskFactory factory;
  data::OpenFile open;
  std::uint32_t threads = 1;
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  // Memory for samples.
};

class WorkerSession {
 public:
  // `transport` must outlive this, and `superseded` too, or until rejoin() names another one.
  WorkerSession(WorkerSessionOptions options, const proto::Welcome& welcome,
                fabric::WakeableTransport& transport, const std::atomic<bool>& superseded);

  ~WorkerSession() { rounds_.restart(self_); }  // Nothing is being sent from what goes with it.
  WorkerSession(const WorkerSession&) = delete;
  WorkerSession& operator=(const WorkerSession&) = delete;

  // Another coordinator of the same run, or the same one after a broken connection: under a new
  // name, without connections and without a session, but with the samples that are here.
  // REQUIRES: worker::Welcomed::kAgain.
  void rejoin(const proto::Welcome& welcome, const std::atomic<bool>& superseded);

  // The chunks whose samples are here, ascending.
  [[nodiscard]] std::vector<ChunkId> chunks() const { return holdings_.ids(); }

  // Carries out a command. The answer, or nothing where the command was superseded.
  [[nodiscard]] std::optional<proto::FromWorker> handle(const proto::ToWorker& command);

  // Keeps the transport going while there is no command.
  void idle(Duration wait);

 private:
  // Errors: kTimeout stands for "superseded" and is not reported.
  [[nodiscard]] Result<proto::FromWorker> carry_out(const proto::ToWorker& command);
  [[nodiscard]] Result<proto::Prepared> prepare(std::uint64_t sequence,
                                                const proto::Prepare& order);
  [[nodiscard]] Result<void> begin_session(const proto::Prepare& order);
  [[nodiscard]] Result<void> obtain_model(std::uint64_t sequence, const proto::ModelSource& source);
  [[nodiscard]] Result<void> transfer_model(std::uint64_t sequence,
                                            const proto::Transfer& transfer);
  [[nodiscard]] Result<void> hand_over(std::uint64_t sequence, const proto::Prepare& order);
  [[nodiscard]] Result<void> check_receivers(const proto::Prepare& order);
  [[nodiscard]] Result<void> receive_chunks(std::uint64_t sequence, const proto::Prepare& order);
  [[nodiscard]] Result<std::vector<float>> receive_state(std::uint64_t sequence,
                                                         const proto::ChunkGrant& grant);
  [[nodiscard]] Result<proto::StepDone> step(std::uint64_t sequence, const proto::Step& order);
  using Merge = std::function<Result<void>(const learn::MergePoint&)>;
  struct Computed {
    learn::LocalResult sums{};
    double seconds = 0;  // For all of it, others' part of an asynchronous end not counted,
    Time ended{};        // and when that was.
  };
  [[nodiscard]] Result<Computed> local_work(const proto::Step& order, std::span<float> update,
                                            Merge merge = {});
  [[nodiscard]] Result<Computed> learn_on(learn::LocalWork work, std::span<float> update);
  // Asynchronous steps (worker_exchange.cc).
  struct Learning;
  [[nodiscard]] Result<proto::StepDone> exchange_step(std::uint64_t sequence,
                                                      const proto::Step& order);
  [[nodiscard]] Result<Computed> learn_and_exchange(std::uint64_t sequence,
                                                    const proto::Step& order,
                                                    fabric::Exchange& exchange);
  [[nodiscard]] Result<void> run_exchange(std::uint64_t sequence, const Learning& learning,
                                          UpdateDesk& desk, fabric::Exchange& exchange,
                                          std::map<WorkerId, fabric::PeerId> peers);
  // Chunks, each checked before anything is computed on it.
  [[nodiscard]] Result<std::vector<data::Chunk>> read_chunks(
      const std::vector<data::ChunkRange>& ranges);
  [[nodiscard]] static Result<void> serve(const Learning& learning, UpdateDesk& desk,
                                          fabric::Exchange& exchange, bool& retired);
  [[nodiscard]] Result<proto::Evaluated> evaluate(const proto::Evaluate& order);
  [[nodiscard]] Result<learn::Evaluation> evaluate_range(const proto::Evaluate& order,
                                                         const data::ChunkRange& range);
  [[nodiscard]] Result<proto::Switched> switch_version(std::uint64_t iteration,
                                                       const std::string& version);
  [[nodiscard]] Result<proto::Saved> save(const proto::Save& order);
  [[nodiscard]] Result<proto::Probed> probe(std::uint64_t sequence, const proto::Probe& order);
  void settle(std::uint64_t model_iteration);
  [[nodiscard]] tl::unexpected<Error> blame(WorkerId worker, const char* why);
  // Unavailable where the sender was lost, or has not sent for long.
  [[nodiscard]] Result<std::vector<std::byte>> receive_blob(const fabric::Tag& tag);
  [[nodiscard]] Result<void> run_round(std::uint64_t round, const fabric::Schedule& schedule,
                                       std::vector<float> weights, std::span<float> values);
  void look_at_port(void (fabric::SumWatch::*look)(Time, const fabric::PortBytes&));
  [[nodiscard]] Result<fabric::PeerId> connection_to(WorkerId worker);
  [[nodiscard]] Result<void> go_on();  // One look at the network; an error where superseded.
  void know(const proto::Peer& peer) { addresses_[WorkerId{peer.worker()}] = peer.address(); }

  // How long one look at the network waits before the inbox is looked at; a new command wakes it.
  static constexpr Duration kLook = std::chrono::milliseconds(50);

  struct Tentative {
    std::uint64_t iteration = 0;
    learn::Model model;
    bool from_task = false;  // The task has tentative state of its own.
  };

  WorkerSessionOptions options_;
  WorkerId self_;
  std::vector<data::SourceInfo> sources_;  // Validation last, where it has a source of its own.
  std::uint64_t split_seed_ = 0;
  fabric::WakeableTransport& transport_;
  fabric::Rounds rounds_;
  const std::atomic<bool>* superseded_;

  std::uint32_t session_ = 0;
  std::unique_ptr<learn::Task> task_;
  bool has_velocity_ = false;  // Its models have.
  learn::Model model_;         // The committed model.
  std::optional<Tentative> tentative_;
  std::optional<worker::LearnedWork>
      learned_;  // Work of the last step's iteration; local SGD only.
  worker::Holdings holdings_;
  std::map<ChunkId, data::Chunk> validation_chunks_;  // Read once, kept.
  std::map<WorkerId, std::string> addresses_;
  std::map<WorkerId, fabric::PeerId> connections_;
  fabric::KnownPorts known_ports_;  // By the last exchange that we scheduled.
  fabric::SumWatch sum_watch_;      // Watches our port during rounds.
  Duration last_round_{};           // What it took.
  std::optional<WorkerId> blamed_;  // Who could not be reached, for the answer.
};

}  // namespace surety::runtime
