// Checks that committed iterations learn from each sample at most once in a pass. If a pass has
// more than one iteration (local SGD), each sample must have been learned from exactly once at its
// end.
//
// A step counts if all its members have answered and a later command says that its iteration was
// committed. Otherwise it is ignored.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

class Visits final : public Check {
 public:
  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_answer(WorkerId from, const proto::FromWorker& message) override;
  void on_append(const proto::JournalRecord& record) override;
  void on_restart(const std::vector<proto::JournalRecord>&) override;

 private:
  struct Part {
    std::vector<proto::WorkItem> items;
    bool has_answered = false;
    std::uint64_t samples = 0;
  };
  struct Pending {
    std::uint64_t iteration = 0;
    std::uint32_t pass = 0;
    bool averages = false;
    std::map<WorkerId, Part> parts;
  };
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  void decide(const proto::ToWorker& message);
  void commit(const Pending& step);
  void visit(std::uint32_t pass, std::uint32_t chunk, Span span);
  void forget();

  std::map<std::uint64_t, Pending> pending_;  // The key is the command's sequence number.
  std::uint32_t session_ = 0;
  std::uint64_t session_samples_ = 0;
  bool averages_ = false;  // The last committed step was one of local SGD.
  std::uint32_t pass_ = 0;
  // Visited spans of that pass by chunk, ascending.
  std::map<std::uint32_t, std::vector<Span>> visited_;
  std::uint64_t samples_ = 0;  // Samples visited in that pass.
};

}  // namespace surety::sim
