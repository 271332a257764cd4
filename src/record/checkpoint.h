// A checkpoint is what the owner of a record signs: the number of facts in the record, and the
// digest of all these facts (C2SP tlog-checkpoint). An inclusion proof shows that one fact is in
// the record (C2SP tlog-proof). Other people can check it without the record.
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
  std::string origin;  // The name of the record. A copy has the same name.
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
