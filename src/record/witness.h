// A witness (C2SP tlog-witness): another party that signs each checkpoint of a record once it has
// checked that the record has only grown since the last one. Then the owner of the record cannot
// show two histories of it, because the witness signs only one.
//
// This file decides; the caller keeps what the witness has seen, and writes it down before it gives
// the answer away.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/checkpoint.h"
#include "record/merkle_tree.h"
#include "record/note.h"

namespace surety::record {

// What is sent to a witness: the size that it is thought to have seen, the proof that the record
// has grown from it, and the new checkpoint.
struct Submission {
  std::uint64_t old_size = 0;
  Digests proof{};
  std::string signed_checkpoint;  // A note.
};
[[nodiscard]] std::string to_text(const Submission& submission);
// Corrupt: the text is none.
[[nodiscard]] Result<Submission> parse_submission(std::string_view text);

// The last checkpoint of each record that the witness has signed, by the record's name.
using Witnessed = std::map<std::string, TreeHead>;
[[nodiscard]] std::string to_text(const Witnessed& witnessed);
// Corrupt: the text is none of to_text().
[[nodiscard]] Result<Witnessed> parse_witnessed(std::string_view text);

struct WitnessAnswer {
  int code = 200;    // As HTTP has it.
  std::string text;  // The cosignature, the size that the witness has seen, or why it refuses.
  // With code 200: what the witness has seen from now on, of this record.
  std::string origin{};
  TreeHead head{};
};
// `owners`: keys whose records the witness signs. `unix_s`: the witness's own time.
//   200 it has signed;  400 the submission cannot be read;  403 no owner has signed it
//   409 it has seen another size than was thought, or another record of this size
//   422 the record has not only grown
[[nodiscard]] WitnessAnswer witness(const Submission& submission, const Witnessed& witnessed,
                                    const std::vector<Verifier>& owners, const Signer& self,
                                    std::uint64_t unix_s);

// ---- cosignatures -------------------------------------------------------------------------------

// The public half of a witness's key, which is of another kind than that of an owner.
[[nodiscard]] Verifier witness_verifier(const Signer& signer);
// The line of a note in which the witness says that it has seen this text at this time.
[[nodiscard]] NoteSignature cosign(std::string_view text, const Signer& signer,
                                   std::uint64_t unix_s);
// When the witness has seen the note, in seconds of Unix time; absent if it has not signed it.
// REQUIRES: the key is of a witness.
[[nodiscard]] std::optional<std::uint64_t> cosigned_at(const Note& note, const Verifier& witness);

}  // namespace surety::record
