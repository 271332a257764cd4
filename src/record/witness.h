// A witness (C2SP tlog-witness) is another party that signs the checkpoints of a journal. Before it
// signs, it checks that the journal has only grown since the checkpoint before. So the owner of the
// journal cannot show two histories of it without being found out: the witness signs only one.
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

// A request to a witness. The proof shows that the journal has only grown since it had `old_size`
// records.
struct Submission {
  std::uint64_t old_size = 0;  // The size that the witness has seen, as the owner believes.
  Digests proof{};
  std::string signed_checkpoint;  // A signed note (note.h).
};
[[nodiscard]] std::string to_text(const Submission& submission);
// Corrupt: the text is no submission.
[[nodiscard]] Result<Submission> parse_submission(std::string_view text);

// The last checkpoint of a journal that the witness has signed, and the key of its owner.
struct Seen {
  TreeHead head;
  std::uint32_t owner = 0;  // The hash of the key (Verifier::hash()).
  bool operator==(const Seen&) const = default;
};
// The key is the name of the journal (Checkpoint::origin).
using Witnessed = std::map<std::string, Seen>;
// One line for each journal, and a last line with a digest of the others.
[[nodiscard]] std::string to_text(const Witnessed& witnessed);
// Corrupt: to_text() does not write such a text. A text that was cut is found, too.
[[nodiscard]] Result<Witnessed> parse_witnessed(std::string_view text);

struct WitnessAnswer {
  int code = 200;    // A code of HTTP.
  std::string text;  // The cosignature, the size that the witness has seen, or the reason.
  // The name of the journal; absent if it could not be read.
  std::optional<std::string> origin{};
  Seen seen{};  // With code 200: what the witness must store before it answers.
  // The owner has signed two histories of this journal.
  bool is_other_history = false;
};
// `owners`: keys whose journals the witness signs. `unix_s`: the witness's own time.
//   200 it has signed
//   400 the submission cannot be read, or the checkpoint has no record
//   403 none of the owners has signed the checkpoint, or another owner began the journal
//   409 it has seen another size than the submission says, or another journal of this size
//   422 the proof does not show that the journal has only grown
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
