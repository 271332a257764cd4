// One training session: it decides the next commands for an order, and interprets the answers of
// the workers.
//
// Before an order continues, two repairs may be needed, in this sequence: a Prepare, whenever
// membership or ownership has changed, and with CoCoA a new sum, if a part of the model was lost.
// Chunks may also move before each iteration of a pass.
//
// Invariants: each (chunk, sample) is in one committed iteration a pass; the committed model is
// held by every worker that has answered a Prepare, and only these workers are given work.
//
// Pure: no clock, no I/O. Barriers and retries are in trainer.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "elastic/policy/limits.h"
#include "elastic/policy/pace.h"
#include "orchestrator/session/barrier.h"
#include "orchestrator/session/orders.h"
#include "orchestrator/session/pass_progress.h"
#include "orchestrator/session/roster.h"
#include "orchestrator/session/session_chunks.h"
#include "orchestrator/session/session_spec.h"
#include "orchestrator/session/step_command.h"
#include "orchestrator/session/step_work.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/training/chunk_moves.h"
#include "orchestrator/training/committed_model.h"
#include "orchestrator/training/fabric_view.h"

namespace surety::orchestrator {

// Knowledge about the cluster from committed steps. It outlives sessions.
struct ClusterView {
  FabricView fabric{};
  elastic::Limits limits{};
};

// A barrier to open. Each worker gets one command.
struct BarrierRequest {
  BarrierKind kind = BarrierKind::kPrepare;
  std::vector<Command> commands{};
};
// How an order goes on. Empty: a worker must join before it can continue.
using SessionStep = std::variant<std::monostate, BarrierRequest, TrainerEvent>;

struct Progress {
  std::string version = "full";  // The version of the model.
  std::uint64_t iteration = 0;   // The iteration of the committed model.
  std::uint32_t passes = 0;      // Passes that are done.
  double pass_done = 0;          // Share of the samples that are done in the pass under way.
};

class TrainingSession {
 public:
  // `number` is different for each session. REQUIRES: spec.chunks is not empty.
  TrainingSession(std::uint32_t number, SessionSpec spec);

  // Brings present workers into the session, up to its limit.
  void enlist(const Roster& roster);
  // Returns false if the worker has never taken part.
  bool leave(WorkerId worker);
  // Returns whether the worker took part until now. REQUIRES: it was not lost before.
  bool lose(WorkerId worker);
  // Whether the session does not need the worker.
  [[nodiscard]] bool is_free(WorkerId worker) const { return chunks_.is_free(worker); }
  // From now on only this many workers have chunks; none means all.
  void limit_workers(std::optional<std::uint32_t> workers) { moves_.limit_workers(workers); }

  void begin_pass(const PassOrder& order, double now_s);
  // The next step for the order, which is not a ProbeOrder.
  [[nodiscard]] SessionStep next(const Order& order, const Roster& roster, FabricView& fabric,
                                 double now_s);
  // All workers have answered the last BarrierRequest, which was for this order. Returns the
  // order's result, or nothing if the order continues.
  [[nodiscard]] std::optional<TrainerEvent> take_answers(const Barrier& barrier,
                                                         const CurrentOrder& order, Roster& roster,
                                                         ClusterView& view, double now_s);
  // The last BarrierRequest, of this kind, will not be answered by all workers.
  void on_aborted(BarrierKind kind);
  // Whether the last BarrierRequest, a Prepare, makes a worker read a checkpoint: the model, or the
  // solver's state for the samples of a chunk that no worker hands over.
  [[nodiscard]] bool reads_checkpoint() const;

  [[nodiscard]] Progress progress() const;
  // What was decided since the last call, with the reasons, for the log.
  [[nodiscard]] std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

 private:
  void decide_moves();
  [[nodiscard]] BarrierRequest prepare(const Roster& roster) const;
  SessionStep train(const std::vector<WorkerId>& members, const Roster& roster, FabricView& fabric,
                    double now_s);
  BarrierRequest step(const std::vector<WorkerId>& members, const Roster& roster,
                      FabricView& fabric);
  BarrierRequest sum_anew(const std::vector<WorkerId>& members, const Roster& roster);
  StepFacts facts(const std::vector<WorkerId>& members, const Roster& roster);
  std::optional<TrainerEvent> on_prepared(const Answers& answers, Roster& roster);
  std::optional<TrainerEvent> on_stepped(const Answers& answers, ClusterView& view, double now_s);

  std::uint32_t number_;
  SessionSpec spec_;  // Its chunks and their state files were moved out.
  SessionChunks chunks_;
  ChunkMoves moves_;
  CommittedModel model_;
  elastic::Pace pace_;
  StepWork work_;
  PassProgress pass_;
  std::vector<std::string> remarks_;
};

}  // namespace surety::orchestrator
