#include "orchestrator/leadership/candidacy.h"

namespace surety::orchestrator {

using Role = Leadership::Role;

Candidacy::Step Candidacy::step(Time now, const CandidateView& view, bool stopped) {
  was_cut_off_ = was_cut_off_ || view.trouble.has_value();
  if (view.role == Role::kLeading) return Step::kLead;
  // A resumed run has deleted the record of its end. The candidate may have read this record
  // before.
  if (view.role == Role::kOver && aim_ != Aim::kBegin) return Step::kOver;
  // If etcd did not answer for a time, another coordinator may lead, and this process becomes a
  // standby. If etcd always answered, this process itself was stopped for a while, and is not
  // needed any more.
  if (view.role == Role::kStandingBy && aim_ == Aim::kReturn && !was_cut_off_) {
    return Step::kOtherLeads;
  }
  if (stopped) return Step::kStop;
  if (aim_ == Aim::kBegin && now >= deadline_) {
    return view.role == Role::kStandingBy ? Step::kOtherLeads : Step::kNobodyLeads;
  }
  // This process was stopped just after it had won the election (kLapsed).
  if (view.role == Role::kLapsed || view.role == Role::kOver) return Step::kJoinAgain;
  return Step::kWait;
}

}  // namespace surety::orchestrator
