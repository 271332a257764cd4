// What the owner of a record signs: how many facts it has, and the digest of all of them (C2SP
// tlog-checkpoint). And the proof that one fact is among them (C2SP tlog-proof), which a stranger
// can check without the record.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/merkle_tree.h"
#include "record/note.h"

namespace surety::record {

struct Checkpoint {
  std::string origin;  // Which record it is. A copy has the same name.
  TreeHead head{};
  bool operator==(const Checkpoint&) const = default;
};

// The text that is signed. REQUIRES: the origin is one line that is not empty.
[[nodiscard]] std::string to_text(const Checkpoint& checkpoint);
// Corrupt: the text is no checkpoint.
[[nodiscard]] Result<Checkpoint> parse_checkpoint(std::string_view text);

struct InclusionProof {
  std::uint64_t index = 0;  // Number of the fact, from 0.
  Digests digests{};
  std::string signed_checkpoint;  // A note.
  // The fact itself. Only the digests prove that it is in the record.
  std::optional<std::string> fact{};
};

[[nodiscard]] std::string to_text(const InclusionProof& proof);
// Corrupt: the text is no proof.
[[nodiscard]] Result<InclusionProof> parse_proof(std::string_view text);

}  // namespace surety::record
