// What a checker of a simulated run is shown. It sees what the coordinator and its workers say to
// each other, what is written down and what workers hold, and nothing of how that was decided.
//
// A checker shares no code with what it checks: it knows the messages' meaning (proto/surety.proto)
// and keeps books of its own.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "proto/surety.pb.h"

namespace surety::sim {

// What a worker holds when it begins to learn.
struct Held {
  std::uint32_t session = 0;
  std::uint64_t iteration = 0;  // Of its committed model, as far as it knows.
  std::uint64_t checksum = 0;   // Of that model.
  std::vector<ChunkId> chunks;  // Ascending.
};

// What became of a worker's part in an asynchronous iteration.
struct Exchanged {
  std::uint64_t sequence = 0;        // Of the command.
  std::vector<float> before, after;  // The model.
  std::vector<double> learned;       // All that it has learned meanwhile, as it counts in `after`.
};

class Check {
 public:
  virtual ~Check() = default;

  // The coordinator sends it; it may never arrive.
  virtual void commanded(WorkerId, const proto::ToWorker&) {}
  // The coordinator hears it; perhaps once more.
  virtual void answered(WorkerId, const proto::FromWorker&) {}
  // The coordinator has given the worker up, or let it go.
  virtual void gone(WorkerId) {}
  // The worker begins this step.
  virtual void learning(WorkerId, const Held&, const proto::ToWorker&) {}
  // The worker has come to the end of an asynchronous step.
  virtual void exchanged(WorkerId, const Exchanged&) {}
  virtual void appended(const proto::JournalRecord&) {}
  // A coordinator starts with what these records say, and knows nothing else.
  virtual void restarted(const std::vector<proto::JournalRecord>&) {}

  // The first one; empty: none.
  [[nodiscard]] const std::string& violation() const { return violation_; }

 protected:
  void violated(std::string text) {
    if (violation_.empty()) violation_ = std::move(text);
  }

 private:
  std::string violation_;
};

}  // namespace surety::sim
