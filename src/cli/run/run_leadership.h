// Waits for the leadership of a run whose job has a standby.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/run/prepared_run.h"
#include "orchestrator/leadership/candidacy.h"

namespace surety::cli {

// Reads the files for TLS with etcd, if the job names any. InvalidInput: one cannot be read, or
// others may read the key.
[[nodiscard]] Result<void> read_etcd_keys(PreparedRun& run);

// Begins to take part in the election of the run's leader. REQUIRES: read_etcd_keys().
void join_election(PreparedRun& run);
// InvalidInput, with the key and the address, if etcd does not answer within a lease, but at least
// 5 s and at most 30 s, or if a signal stops the waiting.
[[nodiscard]] Result<void> check_etcd(const PreparedRun& run);

// Takes part in the election until a step ends the wait, and returns this step. `log` gets a line
// whenever the state of the wait changes.
// REQUIRES: join_election() was called; aim is not kBegin.
[[nodiscard]] orchestrator::Candidacy::Step wait_for_leadership(
    PreparedRun& run, orchestrator::Candidacy::Aim aim,
    const std::function<void(const std::string&)>& log);

// Takes the leadership of a run that begins or is resumed. Does nothing if the job has no standby.
// InvalidInput if etcd does not answer, if another coordinator keeps the lead for longer than a
// lease, or if a signal stops the waiting. Other errors are those of LeaseHolder::forget_end().
[[nodiscard]] Result<void> acquire_leadership(PreparedRun& run);

// The text is, for example, "n1 (pid 4711)".
[[nodiscard]] std::string text_of(const orchestrator::Leader& leader);

}  // namespace surety::cli
