#include "record/witness.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "record/lines.h"

namespace surety::record {
namespace {

constexpr std::string_view kOld = "old ";
constexpr std::size_t kTimeBytes = 8;
constexpr std::string_view kCosignature = "cosignature/v1\n";
constexpr std::string_view kStateDigest = "sha256 ";
constexpr std::size_t kOriginBytesMax = 256;          // Each name is kept for ever.
constexpr std::uint64_t kUnixSMax = 253'402'300'799;  // The end of the year 9999.

tl::unexpected<Error> no_submission(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no submission to a witness: {}", why);
}

std::string cosigned_text(std::string_view text, std::uint64_t unix_s) {
  return fmt::format("{}time {}\n{}", kCosignature, unix_s, text);
}

std::string digest_of(std::string_view text) {
  return base64_encode(crypto::sha256(std::as_bytes(std::span(text))));
}

WitnessAnswer refuse(int code, std::string text) {
  return {.code = code, .text = std::move(text) + "\n"};
}

// A line of the state: size, root, owner, origin.
std::optional<std::pair<std::string, Seen>> seen_in(std::string_view line) {
  Seen seen;
  const auto take_word = [&] {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
  };
  const auto size = number_in(take_word());
  const auto root = digest_in(take_word());
  const auto owner = number_in(take_word());
  if (!size || !root || !owner || line.empty()) return std::nullopt;
  seen.head = {*size, *root};
  seen.owner = static_cast<std::uint32_t>(*owner);
  return std::pair(std::string(line), seen);
}

}  // namespace

// ---- texts --------------------------------------------------------------------------------------

std::string to_text(const Submission& submission) {
  std::string text = fmt::format("{}{}\n", kOld, submission.old_size);
  for (const crypto::Digest& digest : submission.proof) text += base64_encode(digest) + "\n";
  return text + "\n" + submission.signed_checkpoint;
}

Result<Submission> parse_submission(std::string_view text) {
  Submission submission;
  const auto first = take_line(text);
  const auto old =
      first && first->starts_with(kOld) ? number_in(first->substr(kOld.size())) : std::nullopt;
  if (!old) return no_submission("its first line is not \"old SIZE\"");
  submission.old_size = *old;
  Result<Digests> proof = take_digests(text);
  if (!proof) return no_submission(proof.error().message);
  submission.proof = *std::move(proof);
  submission.signed_checkpoint = text;
  return submission;
}

std::string to_text(const Witnessed& witnessed) {
  std::string text;
  for (const auto& [origin, seen] : witnessed) {
    text += fmt::format("{} {} {} {}\n", seen.head.size, base64_encode(seen.head.root), seen.owner,
                        origin);
  }
  return text + fmt::format("{}{}\n", kStateDigest, digest_of(text));
}

Result<Witnessed> parse_witnessed(std::string_view text) {
  const std::string_view whole = text;
  Witnessed witnessed;
  while (const auto line = take_line(text)) {
    if (line->starts_with(kStateDigest)) break;
    auto seen = seen_in(*line);
    if (!seen) return fail(ErrorCode::kCorrupt, "a line is no checkpoint that was seen");
    witnessed.insert_or_assign(std::move(seen->first), seen->second);
  }
  if (to_text(witnessed) != whole) {
    return fail(ErrorCode::kCorrupt, "its lines are not those of its last line's digest");
  }
  return witnessed;
}

// ---- the decision -------------------------------------------------------------------------------

WitnessAnswer witness(const Submission& submission, const Witnessed& witnessed,
                      const std::vector<Verifier>& owners, const Signer& self,
                      std::uint64_t unix_s) {
  const auto note = parse_note(submission.signed_checkpoint);
  if (!note) return refuse(400, note.error().message);
  const auto checkpoint = parse_checkpoint(note->text);
  if (!checkpoint) return refuse(400, checkpoint.error().message);
  const TreeHead& head = checkpoint->head;
  const std::string& origin = checkpoint->origin;
  const bool is_plain = std::ranges::all_of(
      origin, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; });
  if (origin.size() > kOriginBytesMax || !is_plain) {
    return refuse(400, "the name is too long, or has control characters");
  }
  if (head.size == 0) return refuse(400, "a journal without records is not signed");
  if (submission.old_size > head.size) return refuse(400, "the old size is larger than the new");
  const auto owner =
      std::ranges::find_if(owners, [&](const Verifier& one) { return is_signed_by(*note, one); });
  if (owner == owners.end()) return refuse(403, "no owner that this witness knows has signed it");
  const auto found = witnessed.find(origin);
  const Seen seen = found == witnessed.end() ? Seen{{}, owner->hash()} : found->second;
  if (seen.owner != owner->hash()) return refuse(403, "another owner began this journal");
  WitnessAnswer answer{.code = 409,
                       .text = fmt::format("{}\n", seen.head.size),
                       .origin = origin,
                       .seen = {head, owner->hash()}};
  // The digests show at once that a journal of the same size is another one.
  answer.is_other_history = seen.head.size == head.size && seen.head.root != head.root;
  if (submission.old_size != seen.head.size || answer.is_other_history) return answer;
  const bool has_only_grown =
      seen.head.size == 0 ? submission.proof.empty() : has_grown(seen.head, head, submission.proof);
  if (!has_only_grown) {
    answer.code = 422;
    answer.text = "the proof does not show that the journal has only grown\n";
    answer.is_other_history = seen.head.size > 0;
    return answer;
  }
  const Note cosigned{.text = note->text, .signatures = {cosign(note->text, self, unix_s)}};
  answer.code = 200;
  answer.text = to_text(cosigned).substr(note->text.size() + 1);
  return answer;
}

// ---- cosignatures -------------------------------------------------------------------------------

Verifier witness_verifier(const Signer& signer) {
  return {.name = signer.name, .kind = KeyKind::kWitness, .key = signer.key.public_key()};
}

NoteSignature cosign(std::string_view text, const Signer& signer, std::uint64_t unix_s) {
  const std::string message = cosigned_text(text, unix_s);
  const crypto::Signature signature = signer.key.sign(std::as_bytes(std::span(message)));
  NoteSignature line{signer.name, witness_verifier(signer).hash(), {}};
  for (std::size_t i = kTimeBytes; i-- > 0;) {
    line.bytes.push_back(static_cast<std::byte>(unix_s >> (8 * i) & 255));
  }
  line.bytes.insert(line.bytes.end(), signature.begin(), signature.end());
  return line;
}

std::optional<std::uint64_t> cosigned_at(const Note& note, const Verifier& witness) {
  SURETY_CHECK(witness.kind == KeyKind::kWitness);
  const std::uint32_t hash = witness.hash();
  for (const NoteSignature& line : note.signatures) {
    crypto::Signature signature{};
    if (line.name != witness.name || line.hash != hash ||
        line.bytes.size() != kTimeBytes + signature.size()) {
      continue;
    }
    std::uint64_t unix_s = 0;
    for (std::size_t i = 0; i < kTimeBytes; ++i) {
      unix_s = unix_s << 8 | static_cast<std::uint64_t>(line.bytes[i]);
    }
    if (unix_s > kUnixSMax) continue;
    std::copy(line.bytes.begin() + kTimeBytes, line.bytes.end(), signature.begin());
    const std::string message = cosigned_text(note.text, unix_s);
    if (crypto::is_signed_by(witness.key, std::as_bytes(std::span(message)), signature)) {
      return unix_s;
    }
  }
  return std::nullopt;
}

}  // namespace surety::record
