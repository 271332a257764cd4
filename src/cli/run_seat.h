// Waiting for the lead of a run whose job has a standby.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/run_start.h"

namespace surety::cli {

// Takes part in the election of who leads the run.
void seek_lead(PreparedRun& run);
// An error that names the key and the address where etcd does not answer within some seconds.
[[nodiscard]] Result<void> check_etcd(const PreparedRun& run);

enum class Elected : std::uint8_t {
  kUs,
  kOther,    // Somebody else leads; only with `other_ends_it`.
  kOver,     // The run has ended.
  kStopped,  // By a signal.
};
// Waits for one of them. With `other_ends_it` somebody else's lead is one that we did not notice,
// because we were stopped, and is the end of waiting; after a time without etcd it is what had to
// come, and we stand by.
// `say` gets a line whenever what is waited for changes.
[[nodiscard]] Elected wait_for_lead(PreparedRun& run, bool other_ends_it,
                                    const std::function<void(const std::string&)>& say);

// Takes the lead of a run that begins or is resumed; nothing where its job has no standby.
// InvalidInput where etcd does not answer, or where somebody leads for longer than a lease.
[[nodiscard]] Result<void> lead_at_once(PreparedRun& run);

// "n1 (pid 4711)"
[[nodiscard]] std::string text_of(const orchestrator::Leader& leader);

}  // namespace surety::cli
