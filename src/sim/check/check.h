// The interface of the checkers of a simulated run. They see the messages between the coordinator
// and its workers, the data that is written to disk, and the chunks and models that workers hold.
// They do not see how decisions were made.
//
// A checker shares no code with the code that it checks: it uses only the meaning of the messages
// (proto/surety.proto) and its own records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "proto/surety.pb.h"

namespace surety::sim {

// The model and the chunks of a worker when it begins to learn.
struct Held {
  std::optional<std::uint32_t> session{};
  std::uint64_t iteration = 0;  // Iteration of its committed model, as far as the worker knows.
  std::uint64_t checksum = 0;   // Checksum of that model.
  std::vector<ChunkId> chunks;  // Chunk ids, ascending.
};

// The result of a worker's part in an asynchronous iteration.
struct Exchanged {
  std::uint64_t sequence = 0;  // Number of the command.
  std::vector<float> before;   // Values of the model.
  std::vector<float> after;    // Values of the model.
  // Everything that it learned in between, with its weight in `after`.
  std::vector<double> learned;
};

class Check {
 public:
  virtual ~Check() = default;

  // The coordinator sends the command, which may get lost.
  virtual void on_command(WorkerId, const proto::ToWorker&) {}
  // The coordinator receives the answer, possibly a second time.
  virtual void on_answer(WorkerId, const proto::FromWorker&) {}
  // The coordinator has declared the worker lost, or let it leave.
  virtual void on_gone(WorkerId) {}
  // The worker begins this step.
  virtual void on_learning(WorkerId, const Held&, const proto::ToWorker&) {}
  // The worker has finished an asynchronous step.
  virtual void on_exchanged(WorkerId, const Exchanged&) {}
  virtual void on_append(const proto::JournalRecord&) {}
  // A coordinator starts with only these records.
  virtual void on_restart(const std::vector<proto::JournalRecord>&) {}

  // The first violation, if there is one.
  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }

 protected:
  void violated(std::string text) {
    if (!violation_) violation_ = std::move(text);
  }

 private:
  std::optional<std::string> violation_;
};

}  // namespace surety::sim
