// Runs one training session on the workers that are present: passes, evaluations, version switches,
// checkpoints. Workers may join and leave in the middle of any of them.
//
// There is one current order. It is carried out as a series of *barriers*: commands to all members,
// each of which must answer. A barrier is void if a member is lost in it: the survivors discard
// what was tentative, the lost worker's chunks get new owners, and the order continues from the
// last committed iteration. Every command has a sequence number, which also grows from coordinator
// to coordinator. A command replaces the one before, so a late or duplicate answer is recognised
// and ignored.
//
//   prepare   whenever membership or ownership changed: chunks, per-sample state, the model
//   step      one iteration: local work and the weighted sum; committed when all have answered and
//             all hold the same bytes
//   evaluate, switch, save, probe   as named
//
// Invariants: each (chunk, sample) is in one committed iteration a pass; the committed model is
// held by every synced worker; model_iteration only grows within a session.
//
// Pure: no clock, no I/O. Not concerned with what to train next (orchestrator/job/job_machine.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "data/split.h"
#include "elastic/ownership/directory.h"
#include "elastic/policy/limits.h"
#include "elastic/policy/pace.h"
#include "orchestrator/training/barrier.h"
#include "orchestrator/training/fabric_view.h"
#include "orchestrator/training/orders.h"
#include "orchestrator/training/session.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class Trainer {
 public:
  explicit Trainer(std::uint32_t epoch = 1) : sequence_(std::uint64_t{epoch - 1} << 32) {}
  // `before` is the earlier id of the same process; it is treated as lost.
  void join(WorkerId worker, std::string transport_address,
            std::vector<std::uint32_t> samples_of = {}, WorkerId before = {});
  void leave(WorkerId worker);
  void lose(WorkerId worker);
  // Workers that left gracefully and own nothing any more. Send them Bye, then call lose().
  [[nodiscard]] std::vector<WorkerId> departed() const;

  // Orders. REQUIRES: idle(), except for begin() and forget_order(), which replace the current
  // order.
  void begin(SessionSpec spec, double now_s);
  // `reference_workers`: see Pace::set_reference_workers().
  void train_pass(std::uint32_t reference_workers, double now_s);
  void evaluate_validation(std::vector<data::ChunkRange> ranges, data::Split split, double now_s);
  void evaluate_duality(double now_s);
  void switch_version(std::string version, double now_s);
  void save(std::string folder, double now_s);
  // Not an order. From now on only this many workers have chunks, those with the lowest ids; the
  // others rest. 0 means all workers, as at the start.
  void work_with(std::uint32_t workers);
  void probe(WorkerId from, WorkerId to, std::uint64_t bytes, double now_s);
  void forget_order() { order_.reset(), abort_barrier(); }
  [[nodiscard]] bool idle() const { return !order_; }

  void receive(WorkerId from, const proto::FromWorker& message, double now_s);
  // Call it as time passes: it retries a barrier that a broken link has stopped.
  void tick(double now_s);
  // Returns the commands and notices since the last call.
  [[nodiscard]] Outcome take();

  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::uint32_t pass() const { return pass_; }
  [[nodiscard]] std::uint64_t pass_samples_left() const;
  [[nodiscard]] double pass_done() const {  // Share of the pass's samples; 0 before the first pass.
    return pass_samples_ == 0
               ? 0
               : 1 - static_cast<double>(pass_samples_left()) / static_cast<double>(pass_samples_);
  }
  // The command that workers have received and have not answered yet; nothing if there is no
  // barrier.
  [[nodiscard]] std::optional<Waiting> waits_for() const;
  // The directory's first violated invariant; empty if all hold.
  [[nodiscard]] std::string violation() const { return directory_ ? directory_->violation() : ""; }

 private:
  struct Member {
    std::string address;
    bool is_leaving = false;
    bool is_enlisted = false;  // It takes part in the session.
    bool is_synced = false;    // It holds the committed model of this session.
    // Chunks that it has in memory. Empty once it is synced.
    std::vector<std::uint32_t> samples_of;
  };

  using Kind = BarrierKind;
  void start(Order order, double now_s);
  void advance();
  void enlist();
  void open(Kind kind, const std::vector<WorkerId>& members,
            const std::function<void(WorkerId, proto::ToWorker&)>& fill);
  void close();
  void abort_barrier();

  void open_prepare();
  void decide_grants();
  void send_prepare();
  void train();
  void fill_prepare(WorkerId worker, proto::Prepare& prepare) const;
  void fill_model_source(proto::ModelSource& source) const;
  void open_step(bool resum);
  [[nodiscard]] std::map<WorkerId, std::vector<elastic::Work>> work_of_step();
  void open_evaluate(const EvaluateOrder& order);
  void open_switch(const SwitchOrder& order);
  void open_save(const SaveOrder& order);
  void open_probe(const ProbeOrder& order);

  void close_prepare(const Barrier& barrier);
  void close_step(const Barrier& barrier);
  void commit(const Barrier& barrier);
  void note_limits(const Barrier& barrier);
  void close_evaluate(const Barrier& barrier);
  void close_save(const Barrier& barrier);
  void finish_pass(std::uint32_t workers);
  void remark(const std::vector<std::string>& remarks);
  void fail_on(WorkerId worker, const proto::Failed& failure, double now_s);
  void finish(Notice notice);

  // Workers that are in the directory and synced, by ascending id.
  [[nodiscard]] std::vector<WorkerId> members() const;
  [[nodiscard]] bool reads_checkpoint() const;
  [[nodiscard]] bool same_checksum(const Barrier& barrier);
  [[nodiscard]] const data::ChunkRange& range_of(ChunkId dense) const;

  std::map<WorkerId, Member> members_;
  std::optional<SessionSpec> spec_;
  std::optional<elastic::Directory> directory_;  // Its chunk ids are indices into spec_->chunks.
  std::vector<elastic::Grant> grants_;           // Issued grants that are not confirmed yet.
  elastic::Pace pace_;                           // Speeds and quotas of this session.
  elastic::Limits limits_;                       // Limits seen in all sessions.
  FabricView fabric_;
  // The iteration before which chunk moves were last decided.
  std::optional<std::uint64_t> balanced_at_;
  std::optional<Order> order_;
  std::optional<Barrier> barrier_;
  // Work of the last aborted step: the workers that still own it have learned from all or part of
  // it.
  std::map<WorkerId, std::vector<elastic::Work>> begun_;
  std::uint32_t working_ = 0;   // Number of workers that may have chunks; 0 means all.
  std::set<WorkerId> resting_;  // Workers without chunks since the last iteration boundary.
  bool needs_prepare_ = false;
  bool needs_resum_ = false;
  std::uint32_t retries_ = 0;  // Retries of the current barrier.
  std::uint64_t sequence_ = 0;
  std::uint64_t model_iteration_ = 0;
  std::uint64_t model_checksum_ = 0;
  std::uint64_t pass_samples_ = 0;
  // Numbers of values of the committed model.
  struct ModelSizes {
    std::uint64_t parameters = 0;
    std::uint64_t parent = 0;
    std::uint64_t average = 0;  // 0 means that there is none yet.
  };
  ModelSizes sizes_;
  // Checksum of the model that was measured last in this session.
  std::optional<std::uint64_t> measured_;
  bool has_model_ = false;  // A worker holds, or has held, this session's model.
  std::string version_ = "full";
  std::uint32_t pass_ = 0;
  std::uint32_t session_ = 0;
  PassFinished totals_;  // Sums over the current pass, as are the next two members.
  std::map<WorkerId, double> compute_s_;
  std::map<WorkerId, double> computed_;
  // Starts of the current order and iteration; time of the last call.
  double order_began_s_ = 0;
  double iteration_began_s_ = 0;
  double now_s_ = 0;
  std::string reason_;
  Outcome outcome_;
};

}  // namespace surety::orchestrator
