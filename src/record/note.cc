#include "record/note.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/check.h"
#include "base/crypto/digest.h"
#include "base/text.h"

namespace surety::record {
namespace {

constexpr std::string_view kDash = "\u2014 ";  // Begins a line with a signature.
constexpr std::string_view kSecret = "PRIVATE+KEY+";
constexpr std::size_t kNoteBytesMax = 1 << 20;
constexpr std::size_t kSignaturesMax = 100;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kHashBytes = 4;
constexpr std::size_t kHashDigits = 2 * kHashBytes;
constexpr std::size_t kShownBytesMax = 80;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kHashBytes; ++i) {
    value = value << 8 | static_cast<std::uint32_t>(bytes[i]);
  }
  return value;
}

std::vector<std::byte> key_bytes(const Verifier& verifier) {
  std::vector<std::byte> bytes{static_cast<std::byte>(verifier.kind)};
  bytes.insert(bytes.end(), verifier.key.begin(), verifier.key.end());
  return bytes;
}

tl::unexpected<Error> no_key(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kInvalidInput, "found {}, expected a key such as NAME+HASH+KEY: {}",
              plain_text(text, kShownBytesMax), why);
}

tl::unexpected<Error> no_note(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no signed note: {}", why);
}

Result<NoteSignature> parse_signature(std::string_view line) {
  if (!line.starts_with(kDash)) return no_note("a line after the text is no signature");
  line.remove_prefix(kDash.size());
  const std::size_t space = line.find(' ');
  const std::string_view name = line.substr(0, space);
  if (space == std::string_view::npos || !is_key_name(name)) {
    return no_note("a signature does not name its key");
  }
  auto bytes = base64_decode(line.substr(space + 1));
  if (!bytes || bytes->size() <= kHashBytes) return no_note("a signature is not in base64");
  const std::uint32_t hash = big_endian(*bytes);
  bytes->erase(bytes->begin(), bytes->begin() + kHashBytes);
  return NoteSignature{std::string(name), hash, std::move(*bytes)};
}

}  // namespace

// ---- keys ---------------------------------------------------------------------------------------

// Other characters may look like these ones, or may control a terminal.
bool is_key_name(std::string_view name) {
  const auto is_good = [](char c) { return c > ' ' && c <= '~' && c != '+'; };
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, is_good);
}

std::uint32_t Verifier::hash() const {
  return big_endian(crypto::sha256({bytes_of(name), bytes_of("\n"), key_bytes(*this)}));
}

std::string Verifier::text() const {
  return fmt::format("{}+{:08x}+{}", name, hash(), base64_encode(key_bytes(*this)));
}

Result<Verifier> parse_verifier(std::string_view text) {
  const std::size_t first = text.find('+');
  if (first == std::string_view::npos || text.size() < first + kHashDigits + 2 ||
      text[first + 1 + kHashDigits] != '+') {
    return no_key(text, "there are no three parts");
  }
  const std::string_view digits = text.substr(first + 1, kHashDigits);
  std::uint32_t hash = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return no_key(text, "the second part is no hexadecimal number of eight digits");
  }
  Verifier verifier{.name = std::string(text.substr(0, first))};
  if (!is_key_name(verifier.name)) return no_key(text, "the name is empty, or has spaces");
  const auto bytes = base64_decode(text.substr(first + 1 + kHashDigits + 1));
  if (!bytes || bytes->size() != 1 + verifier.key.size()) {
    return no_key(text, "the third part is not 33 bytes in base64");
  }
  verifier.kind = static_cast<KeyKind>(bytes->front());
  if (verifier.kind != KeyKind::kLog && verifier.kind != KeyKind::kWitness) {
    return no_key(text, "it is of another kind than Ed25519");
  }
  std::copy(bytes->begin() + 1, bytes->end(), verifier.key.begin());
  if (verifier.hash() != hash) return no_key(text, "the second part is not the hash of the others");
  return verifier;
}

Verifier Signer::verifier() const {
  return {.name = name, .kind = KeyKind::kLog, .key = key.public_key()};
}

std::string Signer::secret_text() const {
  std::vector<std::byte> bytes{static_cast<std::byte>(KeyKind::kLog)};
  bytes.insert(bytes.end(), key.seed().begin(), key.seed().end());
  return fmt::format("{}{}+{:08x}+{}", kSecret, name, verifier().hash(), base64_encode(bytes));
}

Result<Signer> parse_signer(std::string_view text) {
  const auto no_secret = [] {
    return fail(ErrorCode::kInvalidInput,
                "found something else, expected a line PRIVATE+KEY+NAME+HASH+SEED");
  };
  if (!text.starts_with(kSecret)) return no_secret();
  text.remove_prefix(kSecret.size());
  // The last part may have a '+', too.
  const std::string_view name = text.substr(0, text.find('+'));
  const std::size_t last = name.size() + 1 + kHashDigits + 1;
  if (text.size() < last) return no_secret();
  const auto bytes = base64_decode(text.substr(last));
  crypto::Key seed{};
  if (!is_key_name(name) || !bytes || bytes->size() != 1 + seed.size()) return no_secret();
  std::copy(bytes->begin() + 1, bytes->end(), seed.begin());
  Signer signer{std::string(name), crypto::SigningKey(seed)};
  // The hash proves that no digit of the seed was changed, and that its kind is that of a log.
  if (signer.secret_text() != std::string(kSecret) + std::string(text)) return no_secret();
  return signer;
}

// ---- notes --------------------------------------------------------------------------------------

std::string to_text(const Note& note) {
  std::string text = note.text + "\n";
  for (const NoteSignature& signature : note.signatures) {
    std::vector<std::byte> bytes;
    for (std::size_t i = kHashBytes; i-- > 0;) {
      bytes.push_back(static_cast<std::byte>(signature.hash >> (8 * i) & 255));
    }
    bytes.insert(bytes.end(), signature.bytes.begin(), signature.bytes.end());
    text += fmt::format("{}{} {}\n", kDash, signature.name, base64_encode(bytes));
  }
  return text;
}

Result<Note> parse_note(std::string_view text) {
  if (text.size() > kNoteBytesMax) return no_note("it is longer than 1 MiB");
  if (first_byte_not_utf8(text)) return no_note("it is not UTF-8");
  // The text may contain empty lines, the signatures do not.
  const std::size_t split = text.rfind("\n\n");
  if (split == std::string_view::npos) return no_note("no empty line is before the signatures");
  Note note{.text = std::string(text.substr(0, split + 1)), .signatures = {}};
  std::string_view rest = text.substr(split + 2);
  if (rest.empty()) return no_note("it has no signature");
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return no_note("its last line has no end");
    if (note.signatures.size() == kSignaturesMax) return no_note("it has too many signatures");
    SURETY_TRY(NoteSignature signature, parse_signature(rest.substr(0, end)));
    note.signatures.push_back(std::move(signature));
    rest.remove_prefix(end + 1);
  }
  return note;
}

void sign(Note& note, const Signer& signer) {
  SURETY_CHECK(is_key_name(signer.name) && note.text.ends_with('\n'));
  const crypto::Signature signature = signer.key.sign(bytes_of(note.text));
  note.signatures.push_back(
      {signer.name, signer.verifier().hash(), {signature.begin(), signature.end()}});
}

bool is_signed_by(const Note& note, const Verifier& verifier) {
  SURETY_CHECK(verifier.kind == KeyKind::kLog);
  const std::uint32_t hash = verifier.hash();
  return std::ranges::any_of(note.signatures, [&](const NoteSignature& one) {
    crypto::Signature signature{};
    if (one.name != verifier.name || one.hash != hash || one.bytes.size() != signature.size()) {
      return false;
    }
    std::ranges::copy(one.bytes, signature.begin());
    return crypto::is_signed_by(verifier.key, bytes_of(note.text), signature);
  });
}

}  // namespace surety::record
