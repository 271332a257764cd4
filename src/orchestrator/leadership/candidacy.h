// Decides what a process does while it takes part in the election of its run's leader.
//
// A candidate of the election (leadership.h) leads at most once, and reports only its role. The
// purpose of the wait determines whether the process continues to wait, joins the election again,
// leads, or gives up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "orchestrator/leadership/leadership.h"

namespace surety::orchestrator {

// The knowledge of a candidate at a time.
struct CandidateView {
  Leadership::Role role = Leadership::Role::kSeeking;
  std::optional<Leader> leader;        // The leader that it stands by for.
  std::optional<RunEnd> end;           // Set with kOver.
  std::optional<std::string> trouble;  // The error of etcd, as long as it does not answer.
};

class Candidacy {
 public:
  enum class Aim : std::uint8_t {
    kBegin,    // Lead a run that begins or is resumed, unless another coordinator leads it.
    kStandBy,  // Lead as soon as the coordinator that leads now is lost.
    kReturn,   // Lead again after this process lost the lead.
  };
  enum class Step : std::uint8_t {
    kWait,
    kJoinAgain,    // Join the election with a new candidate, and wait.
    kLead,         // This process leads.
    kOtherLeads,   // Another coordinator leads: give up.
    kNobodyLeads,  // The time is over, and no leader is known: give up.
    kOver,         // The run has ended.
    kStop,         // A signal has stopped the waiting.
  };

  // `deadline`: with kBegin, the time until which another coordinator may keep the lead.
  Candidacy(Aim aim, Time deadline) : aim_(aim), deadline_(deadline) {}

  // `stopped`: a signal has asked this process to stop.
  [[nodiscard]] Step step(Time now, const CandidateView& view, bool stopped);

 private:
  Aim aim_;
  Time deadline_;
  bool was_cut_off_ = false;  // etcd did not answer at some time.
};

}  // namespace surety::orchestrator
