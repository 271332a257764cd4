// Signed notes (C2SP signed-note): a text that a person can read, with signatures that a program
// can check, all in one file.
//
//   surety.run/mnist-1/7c9f
//   812
//   sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
//
//   — acme hI2DJw...1roloI=
//
// A signature names its key, and begins with the first four bytes of the key's digest, so that a
// reader finds the key among those that it trusts. Signatures of unknown keys are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/signature.h"
#include "base/result.h"

namespace surety::record {

// The meaning of a signature. The first byte of its key states it.
enum class KeyKind : std::uint8_t {
  kLog = 1,      // Ed25519 over the text: who writes the record.
  kWitness = 4,  // Ed25519 over a time and the text: who has seen it (C2SP tlog-cosignature).
};

// The public half of a key, which is given to other people.
struct Verifier {
  std::string name;
  KeyKind kind = KeyKind::kLog;
  crypto::PublicKey key{};

  // NAME+HASH+KEY, in one line: "acme+8d3f2b1c+AQ..."
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint32_t hash() const;
  bool operator==(const Verifier&) const = default;
};
// InvalidInput, with what was found: the text is no key, or its parts contradict each other.
[[nodiscard]] Result<Verifier> parse_verifier(std::string_view text);
// Whether a key may have this name: 1 to 64 visible ASCII characters, none of them a '+'.
[[nodiscard]] bool is_key_name(std::string_view name);

// The secret half of a key, and its name.
struct Signer {
  std::string name;  // REQUIRES: is_key_name(name).
  crypto::SigningKey key;

  [[nodiscard]] Verifier verifier() const;
  // PRIVATE+KEY+NAME+HASH+SEED, in one line: whoever reads it can sign.
  [[nodiscard]] std::string secret_text() const;
};
// InvalidInput: the text is no secret key. The message does not quote it.
[[nodiscard]] Result<Signer> parse_signer(std::string_view text);

struct NoteSignature {
  std::string name;
  std::uint32_t hash = 0;
  std::vector<std::byte> bytes;
};
struct Note {
  std::string text;  // Ends with a new line.
  std::vector<NoteSignature> signatures;
};

// The text with its signatures.
[[nodiscard]] std::string to_text(const Note& note);
// Corrupt: it is no signed note.
[[nodiscard]] Result<Note> parse_note(std::string_view text);
// Adds a signature. REQUIRES: the text ends with a new line.
void sign(Note& note, const Signer& signer);
// Whether the note has a valid signature of this key of a log. REQUIRES: its kind is kLog.
[[nodiscard]] bool is_signed_by(const Note& note, const Verifier& verifier);

}  // namespace surety::record
