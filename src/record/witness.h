// A witness (C2SP tlog-witness) is another party that signs the checkpoints of a record. Before it
// signs, it checks that the record has only grown since the checkpoint before. So the owner of the
// record cannot show two histories of it: the witness signs only one.
//
// The functions here decide. The caller stores what the witness has seen before it sends an answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/checkpoint.h"
#include "record/merkle_tree.h"
#include "record/note.h"

namespace surety::record {

// A request to a witness. The proof shows that the record has only grown since it had `old_size`
// facts.
struct Submission {
  std::uint64_t old_size = 0;  // The size that the witness has seen, as the owner believes.
  Digests proof{};
  std::string signed_checkpoint;  // A signed note (note.h).
};
[[nodiscard]] std::string to_text(const Submission& submission);
// Corrupt: the text is no submission.
[[nodiscard]] Result<Submission> parse_submission(std::string_view text);

// The last checkpoint of each record that the witness has signed, by the record's name.
using Witnessed = std::map<std::string, TreeHead>;
[[nodiscard]] std::string to_text(const Witnessed& witnessed);
// Corrupt: to_text() does not write such a text.
[[nodiscard]] Result<Witnessed> parse_witnessed(std::string_view text);

struct WitnessAnswer {
  int code = 200;    // A code of HTTP.
  std::string text;  // The cosignature, the size that the witness has seen, or the reason.
  // With code 200: the checkpoint that the witness must store before it answers.
  std::string origin{};
  TreeHead head{};
};
// `owners`: keys whose records the witness signs. `unix_s`: the witness's own time.
//   200 it has signed
//   400 the submission cannot be read
//   403 none of the owners has signed the checkpoint
//   409 it has seen another size than the submission says, or another record of this size
//   422 the proof does not show that the record has only grown
[[nodiscard]] WitnessAnswer witness(const Submission& submission, const Witnessed& witnessed,
                                    const std::vector<Verifier>& owners, const Signer& self,
                                    std::uint64_t unix_s);

// ---- cosignatures -------------------------------------------------------------------------------

// The public half of a witness's key. It is of another kind than that of an owner.
[[nodiscard]] Verifier witness_verifier(const Signer& signer);
// The witness's signature of a note: it has seen this text at this time.
[[nodiscard]] NoteSignature cosign(std::string_view text, const Signer& signer,
                                   std::uint64_t unix_s);
// The time at which the witness signed the note, in seconds of Unix time; absent if it did not.
// REQUIRES: the key's kind is kWitness.
[[nodiscard]] std::optional<std::uint64_t> cosigned_at(const Note& note, const Verifier& witness);

}  // namespace surety::record
