// Checks that a committed update is never lost, and that the model's version only grows.
//
// It records, for every iteration committed in a session, the checksum that its members agreed on.
// A worker that learns later must learn from exactly that model: the one of the iteration before
// its step, with those bytes. Within a session committed iterations never go backwards, and command
// numbers rise. A session that starts from a checkpoint starts with the saved model. The metric of
// a checkpoint or a certificate was measured on exactly the model in it. A model file that the
// journal names is never written again with other bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

class Commits final : public Check {
 public:
  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_answer(WorkerId from, const proto::FromWorker& message) override;
  void on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order) override;
  void on_append(const proto::JournalRecord& record) override;
  void on_restart(const std::vector<proto::JournalRecord>& records) override;
  // A worker has written this model into the file. If the journal names the file, its bytes must
  // not change, even if the worker has been lost meanwhile.
  void on_model_written(const std::string& path, std::uint64_t checksum);

  // The number of all sessions.
  [[nodiscard]] std::uint64_t committed() const { return committed_; }

 private:
  struct PendingCommand {
    std::uint64_t makes = 0;  // The iteration whose model the answer has.
    std::set<WorkerId> members;
    std::map<WorkerId, std::uint64_t> answers;
  };
  void note_command(WorkerId to, const proto::ToWorker& message);
  void start_session(const proto::ToWorker& message);
  void note_checkpoint(const proto::CheckpointCommitted& checkpoint);
  [[nodiscard]] std::uint64_t checksum_of_iteration() const;

  std::uint32_t session_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t iteration_ = 0;  // The last committed iteration of this session.
  // Checksums of this session's committed iterations.
  std::map<std::uint64_t, std::uint64_t> checksums_;
  std::map<std::uint64_t, PendingCommand> pending_;  // The key is the command's sequence number.
  std::map<std::string, std::uint64_t> saved_;  // Checksums of model files that the journal names.
  // Checksums of model files as they were last written.
  std::map<std::string, std::uint64_t> written_;
  std::uint64_t measured_ = 0;  // Checksum of the model that was measured last.
  // File that the session started from; none means a fresh model.
  std::optional<std::string> started_from_;
  bool started_wrong_ = false;  // The file gave back another model than was saved.
  std::uint64_t committed_ = 0;
};

}  // namespace surety::sim
