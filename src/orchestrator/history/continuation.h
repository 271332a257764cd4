// Which records of a journal a coordinator continues with, and whether it signs them further.
//
// A coordinator with a key signs the journal before anything depends on a record. So what comes
// after the last signature is a tail that a crash has left, or it was written by somebody who does
// not have the key. It is removed in both cases: otherwise the owner would sign it later.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "orchestrator/history/journal.h"
#include "record/checkpoint.h"
#include "record/note.h"

namespace surety::orchestrator {

// The name of a run's signed record. A copy of a run has the same one.
[[nodiscard]] std::string record_origin(const std::string& run, double started_unix_s);

struct Continuation {
  std::size_t kept = 0;                 // So many records, from the first.
  bool is_signed = false;               // Our key has signed them all, and signs what follows.
  std::optional<std::string> remark{};  // What the user should know.
};

// `head`: what was signed of the journal; absent if there is nothing. `own`: our key; absent if we
// have none. Corrupt, with what to do: the journal was signed by our key, and this is not the
// signed journal.
[[nodiscard]] Result<Continuation> continuation_of(const std::vector<proto::JournalRecord>& records,
                                                   const record::Digests& leaves,
                                                   const std::optional<record::Note>& head,
                                                   const std::optional<record::Verifier>& own);

}  // namespace surety::orchestrator
