// Decides with which records of a journal a coordinator continues, and whether it continues to sign
// them.
//
// A coordinator with a key signs the journal before anything depends on a record. So records after
// the last signature are a tail that a crash has left, or were written by somebody without the key.
// It is removed in both cases: otherwise the owner would sign it later.
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
  std::size_t kept = 0;  // Number of kept records, from the first.
  // The key of this process has signed all of them, and signs the following ones.
  bool is_signed = false;
  std::optional<std::string> remark{};  // A message for the user.
};

// `head`: the signed part of the journal; absent if there is none. `own`: the key of this process;
// absent if it has none. Corrupt, with advice: this key has signed a journal, but not this one.
[[nodiscard]] Result<Continuation> continuation_of(const std::vector<proto::JournalRecord>& records,
                                                   const record::Digests& leaves,
                                                   const std::optional<record::Note>& head,
                                                   const std::optional<record::Verifier>& own);

}  // namespace surety::orchestrator
