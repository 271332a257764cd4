// Waits for the leadership of a run whose job has a standby.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/run/prepared_run.h"

namespace surety::cli {

// Begins to take part in the election of the run's leader.
void join_election(PreparedRun& run);
// If etcd does not answer within a lease, but at least 5 s and at most 30 s, returns an error that
// names the key and the address.
[[nodiscard]] Result<void> check_etcd(const PreparedRun& run);

enum class Elected : std::uint8_t {
  kSelf,
  kOther,    // Another coordinator leads; returned only with `ends_with_other`.
  kOver,     // The run has ended.
  kStopped,  // A signal stopped the waiting.
};
// Waits for one of these results.
//
// With `ends_with_other`, the call returns kOther if another coordinator leads and etcd always
// answered: this process was stopped for a while, and the other one took over meanwhile. If etcd
// did not answer for a time, another leader is what had to be expected, and this process stands by.
//
// `log` gets a line whenever the state of the waiting changes.
[[nodiscard]] Elected wait_for_leadership(PreparedRun& run, bool ends_with_other,
                                          const std::function<void(const std::string&)>& log);

// Takes the leadership of a run that begins or is resumed. Does nothing if the job has no standby.
// InvalidInput if etcd does not answer, or if another coordinator keeps the lead for longer than a
// lease.
[[nodiscard]] Result<void> acquire_leadership(PreparedRun& run);

// The text is, for example, "n1 (pid 4711)".
[[nodiscard]] std::string text_of(const orchestrator::Leader& leader);

}  // namespace surety::cli
