// A committed update is never lost, and the model's version only grows.
//
// The books: for every iteration that was committed in a session, the checksum that its members
// agreed on. Whoever learns later must learn from just that model: of the iteration before the
// step's, with those bytes. Within a session committed iterations never go backwards, and commands
// have rising numbers; a checkpoint that a session starts from gives back the model that was saved.
// What a checkpoint's metric, or a certificate's, was measured of is just the model in it. No file
// of a model that the journal has is written again with other bytes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

class Commits final : public Check {
 public:
  void commanded(WorkerId to, const proto::ToWorker& message) override;
  void answered(WorkerId from, const proto::FromWorker& message) override;
  void learning(WorkerId worker, const Held& held, const proto::ToWorker& order) override;
  void appended(const proto::JournalRecord& record) override;
  void restarted(const std::vector<proto::JournalRecord>& records) override;
  // A worker has written that model into the file. Whatever became of the worker meanwhile, the
  // file must not be one that the journal has, unless its bytes stay.
  void wrote_model(const std::string& path, std::uint64_t checksum);

  [[nodiscard]] std::uint64_t committed() const { return committed_; }  // In all sessions.

 private:
  struct Asked {
    std::uint64_t makes = 0;  // The iteration that the answer is the model of.
    std::set<WorkerId> members;
    std::map<WorkerId, std::uint64_t> answers;
  };
  void ask(WorkerId to, const proto::ToWorker& message);
  void start_session(const proto::ToWorker& message);
  void note_checkpoint(const proto::CheckpointCommitted& checkpoint);
  [[nodiscard]] std::uint64_t checksum_of_iteration() const;

  std::uint32_t session_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t iteration_ = 0;                       // Committed, in this session.
  std::map<std::uint64_t, std::uint64_t> checksums_;  // Of committed iterations, this session.
  std::map<std::uint64_t, Asked> asked_;              // By sequence.
  std::map<std::string, std::uint64_t> saved_;        // Model files that the journal knows.
  std::map<std::string, std::uint64_t> written_;      // Model files, as they were written last.
  std::uint64_t measured_ = 0;                        // The model that was measured last.
  std::string started_from_;                          // File; empty: fresh.
  bool started_wrong_ = false;                        // That file gave back another model.
  std::uint64_t committed_ = 0;
};

}  // namespace surety::sim
