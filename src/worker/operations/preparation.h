// Prepare: the model and the chunks that a worker needs for the next iterations. It sends the
// per-sample state of chunks that go to other workers, gets the model (new, from a checkpoint, or
// from other workers), reads the samples that are not here, and receives the state of its new
// chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/operations/operation.h"
#include "worker/operations/round_wait.h"

namespace surety::worker {

class Preparation final : public Operation {
 public:
  explicit Preparation(OperationContext context)
      : Operation(std::move(context)), round_(this->context()) {}

  void begin() override;
  void on_work_done(const Result<void>& outcome) override;
  void on_work_stopped(const Result<void>& outcome) override;
  void on_time(std::uint64_t timer) override;
  void on_blob() override { await_states(); }
  void on_blob_sent(WorkerId to) override;
  void on_lost(WorkerId worker, const std::string& why) override;
  void on_round_done(RoundResult result) override;
  void abandon() override { round_.leave(); }

 private:
  struct Loaded {
    std::unique_ptr<learn::Task> task;
    std::optional<learn::Model> model;
    std::vector<data::Chunk> chunks;
    data::ChunkStates states;
    std::uint64_t checksum = 0;  // The checksum of the model.
  };
  [[nodiscard]] const proto::Prepare& order() const { return command().prepare(); }
  // Returns false if the command has failed.
  [[nodiscard]] bool send_states();
  [[nodiscard]] bool connect_to_senders();
  void receive_model();
  void load();
  [[nodiscard]] static Result<void> load(const OperationContext& context,
                                         const std::vector<data::ChunkRange>& ranges,
                                         Loaded& loaded);
  void keep(Loaded loaded);
  void keep_samples(Loaded& loaded);
  void await_states();
  void take_states();
  void finish();

  std::shared_ptr<Loaded> loading_;     // The computation writes it.
  std::set<ChunkId> received_;          // Chunks whose state another worker has sent.
  std::set<WorkerId> lost_;             // Their connections were lost since the command began.
  std::uint32_t sends_ = 0;             // Blobs that have not left yet.
  std::optional<std::uint64_t> timer_;  // Ends the wait for states.
  RoundWait round_;                     // The round that gives the model.
  bool is_loaded_ = false;
  std::uint64_t checksum_ = 0;  // The checksum of the model, once it is loaded.
};

}  // namespace surety::worker
