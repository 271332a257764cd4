// Drives one training session over the workers that are there: passes, evaluations, version
// switches, checkpoints; workers come and go in the middle of any of them.
//
// One order is in hand at a time; it is carried out as a series of *barriers*: commands to all
// members that each must answer. Whoever dies in a barrier makes it void: survivors forget what was
// tentative, the dead worker's chunks are handed out again, and the order goes on from the last
// committed iteration. Every command carries a sequence number, which grows from coordinator to
// coordinator, and replaces the one before: a late or doubled answer is recognised and ignored.
//
//   prepare   whenever membership or ownership changed: chunks, per-sample state, the model
//   step      one iteration: local work and the weighted sum; committed when all have answered and
//             all hold the same bytes
//   evaluate, switch, save, probe   as named
//
// Invariants: each (chunk, sample) is in one committed iteration a pass; the committed model is
// held by every synced worker; model_iteration only grows within a session.
//
// Pure: no clock, no I/O. Not concerned with what to train next (job_machine.h).
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
#include "data/chunk.h"
#include "data/split.h"
#include "elastic/directory.h"
#include "elastic/limits.h"
#include "elastic/pace.h"
#include "orchestrator/barrier.h"
#include "orchestrator/fabric_view.h"
#include "orchestrator/orders.h"
#include "orchestrator/session.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class Trainer {
 public:
  explicit Trainer(std::uint32_t epoch = 1) : sequence_(std::uint64_t{epoch - 1} << 32) {}
  // `before`: the same process under its last name, which is lost with this.
  void join(WorkerId worker, std::string transport_address,
            std::vector<std::uint32_t> samples_of = {}, WorkerId before = {});
  void leave(WorkerId worker), lose(WorkerId worker);
  // Workers that left politely and own nothing any more: say Bye to them, then lose() them.
  [[nodiscard]] std::vector<WorkerId> departed() const;

  // Orders. REQUIRES: idle(), except begin() and forget_order(), which replace those in hand.
  void begin(SessionSpec spec, double now_s);
  void train_pass(std::uint32_t meant_for, double now_s);  // Pace::mean().
  void evaluate_validation(std::vector<data::ChunkRange> ranges, data::Split split, double now_s);
  void evaluate_duality(double now_s);
  void switch_version(std::string version, double now_s);
  void save(std::string folder, double now_s);
  // No order: from now on so many workers have chunks, the oldest; others rest. 0, at first: all.
  void work_with(std::uint32_t workers);
  void probe(WorkerId from, WorkerId to, std::uint64_t bytes, double now_s);
  void forget_order() { order_.reset(), barrier_.reset(); }
  [[nodiscard]] bool idle() const { return !order_; }

  void receive(WorkerId from, const proto::FromWorker& message, double now_s);
  // Time passes: retries a barrier that a broken link had stopped.
  void tick(double now_s);
  // Commands and notices since the last call.
  [[nodiscard]] Outcome take();

  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::uint32_t pass() const { return pass_; }
  [[nodiscard]] std::uint64_t pass_samples_left() const;
  [[nodiscard]] double pass_done() const {  // The share of its samples; 0 before the first pass.
    return pass_samples_ == 0
               ? 0
               : 1 - static_cast<double>(pass_samples_left()) / static_cast<double>(pass_samples_);
  }
  // What the workers were asked for and have not answered; none: nothing.
  [[nodiscard]] std::optional<Waiting> waits_for() const;
  // Of the directory's invariants; empty: none.
  [[nodiscard]] std::string violation() const { return directory_ ? directory_->violation() : ""; }

 private:
  struct Member {
    std::string address;
    bool leaving = false;
    bool enlisted = false;                  // Takes part in the session.
    bool synced = false;                    // Holds the committed model of this session.
    std::vector<std::uint32_t> samples_of;  // Chunks that it has in memory; until it is synced.
  };

  using Kind = BarrierKind;
  void start(Order order, double now_s);
  void advance(), enlist();
  void open(Kind kind, const std::vector<WorkerId>& members,
            const std::function<void(WorkerId, proto::ToWorker&)>& fill);
  void close(), void_barrier();

  void open_prepare(), decide_grants(), send_prepare();
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
  void commit(const Barrier&barrier), note_limits(const Barrier&barrier);
  void close_evaluate(const Barrier& barrier);
  void close_save(const Barrier& barrier);
  void finish_pass(std::uint32_t workers), remark(const std::vector<std::string>&said);
  void fail_on(WorkerId worker, const proto::Failed& failure, double now_s);
  void finish(Notice notice);

  [[nodiscard]] std::vector<WorkerId> members() const;  // In the directory and synced, ascending.
  [[nodiscard]] bool reads_checkpoint() const, same_checksum(const Barrier&barrier);
  [[nodiscard]] const data::ChunkRange& range_of(ChunkId dense) const;

  std::map<WorkerId, Member> members_;
  std::optional<SessionSpec> spec_;
  std::optional<elastic::Directory> directory_;  // Its chunk ids are places in spec_->chunks.
  std::vector<elastic::Grant> grants_;           // Issued, not confirmed.
  elastic::Pace pace_;                           // Of this session.
  elastic::Limits limits_;                       // Of all sessions.
  FabricView fabric_;
  std::optional<std::uint64_t> balanced_at_;  // Iteration before which chunks were looked at.
  std::optional<Order> order_;
  std::optional<Barrier> barrier_;
  // Of the last step that came to nothing: who has it still has learned it, or a part of it.
  std::map<WorkerId, std::vector<elastic::Work>> begun_;
  std::uint32_t working_ = 0;   // That shall have chunks; 0: all.
  std::set<WorkerId> resting_;  // Since the last boundary.
  bool prepare_needed_ = false, resum_needed_ = false;
  std::uint32_t retries_ = 0;  // Of the order in hand, since its last barrier closed.
  std::uint64_t sequence_ = 0, model_iteration_ = 0, model_checksum_ = 0, pass_samples_ = 0;
  std::uint64_t parameters_ = 0, parent_ = 0;  // Of the committed model.
  std::optional<std::uint64_t> measured_;      // Checksum of this session's last measured model.
  bool model_made_ = false;                    // Some worker holds, or held, this session's model.
  std::string version_ = "full";
  std::uint32_t pass_ = 0, session_ = 0;
  PassFinished totals_;  // Of the pass in hand, as are these two.
  std::map<WorkerId, double> compute_s_, computed_;
  double order_began_s_ = 0, iteration_began_s_ = 0, now_s_ = 0;  // Of the last call.
  std::string reason_;
  Outcome outcome_;
};

}  // namespace surety::orchestrator
