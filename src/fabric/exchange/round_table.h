// The rounds that are under way at one worker, and the data of rounds that have not begun here yet.
//
// Rounds begin in ascending order, and several are under way at a time. The table decides which of
// them may read the model, change it and end, so that the model is the same as if the rounds of a
// block had been carried out one after another, except for the pushes that a pull does not wait
// for.
//
// The scheduler grants the next round when the recipients of a round have acknowledged it. The
// table decides when this worker acknowledges which round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/exchange/frame.h"
#include "fabric/exchange/options.h"
#include "fabric/exchange/round_work.h"

namespace surety::fabric {

// INVARIANT: a round is under way from begin() until finish_next() returns it. Each round that this
// worker receives is acknowledged exactly once, at the latest when it ends.
class RoundTable {
 public:
  // REQUIRES: check(options); self is one of the workers.
  RoundTable(const ExchangeOptions& options, WorkerId self) : options_(options), self_(self) {}

  // The newest round that has begun at this worker.
  [[nodiscard]] RoundId newest() const { return newest_; }
  [[nodiscard]] bool empty() const { return rounds_.empty(); }

  // Begins a round. It gets the data of the round that arrived early. `update` and `pulled` are as
  // in RoundWork. Corrupt: a value of its data is not finite. REQUIRES: shape.round > newest().
  [[nodiscard]] Result<void> begin(RoundShape shape, RoundWork::Vector update,
                                   RoundWork::Vector pulled);
  // Passes data to its round, keeps it if the round has not begun, and otherwise ignores it.
  // Returns true if its round is under way, so that rounds may have finished. Corrupt: a value is
  // not finite, or more data arrived early than workers may send.
  [[nodiscard]] Result<bool> receive(DataPiece piece);

  struct Finished {
    RoundId round = 0;
    std::optional<std::uint32_t> pulled{};  // The block that this worker has pulled.
    bool acknowledge = false;               // It has to be acknowledged now.
  };
  // Ends the oldest round that can end, and makes its changes to the model. Before that, older
  // rounds read the values that they need from the model. Returns nullopt if no round can end. As
  // one round may allow others to end, it is called until it returns nullopt. Corrupt: a value of
  // the model that a round has to read is not finite.
  [[nodiscard]] Result<std::optional<Finished>> finish_next(std::span<float> model);
  // Returns the rounds that must be acknowledged although they have not ended, in ascending order.
  // REQUIRES: finish_next() has returned nullopt.
  [[nodiscard]] std::vector<RoundId> acknowledge_early();

  struct Send {
    std::vector<std::byte> bytes;  // A frame of data.
    bool finishes = false;         // Its round waited only for this message.
  };
  // Returns the next data for this worker.
  [[nodiscard]] std::optional<Send> next_send(WorkerId to);
  // Appends the workers for which there is data; a worker may be added several times.
  void add_destinations(std::vector<WorkerId>& workers) const;

 private:
  [[nodiscard]] Result<void> keep_early(DataPiece piece);
  [[nodiscard]] Result<void> pass(RoundWork& work, DataPiece piece);
  [[nodiscard]] bool may_read(const RoundShape& shape) const;
  [[nodiscard]] bool may_apply(const RoundShape& shape) const;

  const ExchangeOptions options_;
  const WorkerId self_;
  RoundId newest_ = 0;
  std::map<RoundId, std::unique_ptr<RoundWork>> rounds_;
  std::map<RoundId, std::vector<DataPiece>> early_;  // Data of rounds after the newest.
  std::uint64_t early_bytes_ = 0;                    // Bytes of the values in early_.
};

}  // namespace surety::fabric
