#include "record/witness.h"

#include <algorithm>
#include <optional>

#include "base/base64.h"
#include "base/check.h"
#include "record/lines.h"

namespace surety::record {
namespace {

constexpr std::string_view kOld = "old ";
constexpr std::size_t kTimeBytes = 8;
constexpr std::string_view kCosignature = "cosignature/v1\n";

tl::unexpected<Error> no_submission(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no submission to a witness: {}", why);
}

std::string cosigned_text(std::string_view text, std::uint64_t unix_s) {
  return fmt::format("{}time {}\n{}", kCosignature, unix_s, text);
}

WitnessAnswer refuse(int code, std::string text) { return {.code = code, .text = std::move(text)}; }

WitnessAnswer conflict(std::uint64_t seen) { return refuse(409, fmt::format("{}\n", seen)); }

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
  while (true) {
    const auto line = take_line(text);
    if (!line) return no_submission("it ends before the checkpoint");
    if (line->empty()) break;
    const auto digest = digest_in(*line);
    if (!digest) return no_submission("a digest in it is not 32 bytes in base64");
    if (submission.proof.size() == kProofDigestsMax) {
      return no_submission("it has too many digests");
    }
    submission.proof.push_back(*digest);
  }
  submission.signed_checkpoint = text;
  return submission;
}

std::string to_text(const Witnessed& witnessed) {
  std::string text;
  for (const auto& [origin, head] : witnessed) {
    text += fmt::format("{} {} {}\n", head.size, base64_encode(head.root), origin);
  }
  return text;
}

Result<Witnessed> parse_witnessed(std::string_view text) {
  const std::string_view whole = text;
  Witnessed witnessed;
  while (!text.empty()) {
    const std::string_view line = take_line(text).value_or("");
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    const auto size = number_in(line.substr(0, first));
    const auto root =
        second == line.npos ? std::nullopt : digest_in(line.substr(first + 1, second - first - 1));
    if (!size || !root) return fail(ErrorCode::kCorrupt, "a line is no checkpoint that was seen");
    witnessed[std::string(line.substr(second + 1))] = {*size, *root};
  }
  if (to_text(witnessed) != whole) {
    return fail(ErrorCode::kCorrupt, "its lines are not in order, or not each once");
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
  if (std::ranges::none_of(owners,
                           [&](const Verifier& owner) { return is_signed_by(*note, owner); })) {
    return refuse(403, "no owner that this witness knows has signed it\n");
  }
  const TreeHead& head = checkpoint->head;
  const auto found = witnessed.find(checkpoint->origin);
  const TreeHead seen = found == witnessed.end() ? TreeHead{} : found->second;
  if (submission.old_size > head.size) return refuse(400, "the old size is larger than the new\n");
  if (submission.old_size != seen.size) return conflict(seen.size);
  if (seen.size == head.size && seen.size > 0 && seen.root != head.root) return conflict(seen.size);
  const bool has_only_grown =
      seen.size == 0 ? submission.proof.empty() : has_grown(seen, head, submission.proof);
  if (!has_only_grown) return refuse(422, "the proof does not show that the record has grown\n");
  Note signed_note{.text = note->text, .signatures = {cosign(note->text, self, unix_s)}};
  const std::string text = to_text(signed_note);
  return {.code = 200,
          .text = text.substr(note->text.size() + 1),
          .origin = checkpoint->origin,
          .head = head};
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
    std::copy(line.bytes.begin() + kTimeBytes, line.bytes.end(), signature.begin());
    const std::string message = cosigned_text(note.text, unix_s);
    if (crypto::is_signed_by(witness.key, std::as_bytes(std::span(message)), signature)) {
      return unix_s;
    }
  }
  return std::nullopt;
}

}  // namespace surety::record
