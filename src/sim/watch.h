// All checkers of a run together, and the workers that are waited for when there is no progress.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/job_machine.h"
#include "sim/check/check.h"
#include "sim/check/commits.h"
#include "sim/check/journal_books.h"
#include "sim/check/owners.h"
#include "sim/check/returns.h"
#include "sim/check/updates.h"
#include "sim/check/visits.h"

namespace surety::sim {

class Watch {
 public:
  Watch(const orchestrator::JobConfig& config, bool checks);

  void commanded(WorkerId to, const proto::ToWorker& message);
  void answered(WorkerId from, const proto::FromWorker& message);
  void gone(WorkerId worker);
  void learning(WorkerId worker, const Held& held, const proto::ToWorker& order);
  void exchanged(WorkerId worker, const Exchanged& what);
  void wrote_model(const std::string& path, std::uint64_t checksum);
  void appended(const proto::JournalRecord& record);
  void synced();
  void restarted(const std::vector<proto::JournalRecord>& records);
  void believes(const orchestrator::RunState& state);

  // The checker of processes and coordinator starts.
  [[nodiscard]] Returns& returns() { return returns_; }

  // The first violation of any checker, with the checker's name; empty means none.
  [[nodiscard]] std::string violation() const;
  // "step 14 waits for worker 3": the last command, and which workers have not answered.
  [[nodiscard]] std::string waits_for() const;
  void obstacle(std::string what) { obstacle_ = std::move(what); }
  [[nodiscard]] std::uint64_t iterations() const { return commits_.committed(); }

 private:
  template <typename Call>
  void each(const Call& call) {
    if (!checks_) return;
    call(owners_), call(visits_), call(updates_), call(books_), call(returns_);
  }

  bool checks_;
  Owners owners_;
  Visits visits_;
  Updates updates_;
  Commits commits_;
  JournalBooks books_;
  Returns returns_;
  std::string asked_;
  std::string obstacle_;
  std::uint64_t sequence_ = 0;
  std::set<WorkerId> waiting_;
};

}  // namespace surety::sim
