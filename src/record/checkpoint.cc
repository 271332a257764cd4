#include "record/checkpoint.h"

#include "base/base64.h"
#include "base/check.h"
#include "record/lines.h"

namespace surety::record {
namespace {

constexpr std::string_view kProofHead = "c2sp.org/tlog-proof@v1";
constexpr std::string_view kExtra = "extra ";
constexpr std::string_view kIndex = "index ";
constexpr std::size_t kProofBytesMax = 128u << 20;  // The longest record is 64 MiB.

tl::unexpected<Error> no_checkpoint(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no checkpoint: {}", why);
}
tl::unexpected<Error> no_proof(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no proof of a fact: {}", why);
}

}  // namespace

std::string to_text(const Checkpoint& checkpoint) {
  SURETY_CHECK(!checkpoint.origin.empty() && checkpoint.origin.find('\n') == std::string::npos);
  return fmt::format("{}\n{}\n{}\n", checkpoint.origin, checkpoint.head.size,
                     base64_encode(checkpoint.head.root));
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  const auto origin = take_line(text);
  const auto size = take_line(text);
  const auto root = take_line(text);
  if (!root) return no_checkpoint("it has fewer than three lines");
  if (!text.empty()) return no_checkpoint("it has more than three lines");
  if (origin->empty()) return no_checkpoint("its first line is empty");
  const auto count = number_in(*size);
  if (!count) return no_checkpoint("its second line is no number");
  const auto digest = digest_in(*root);
  if (!digest) return no_checkpoint("its third line is not 32 bytes in base64");
  return Checkpoint{std::string(*origin), {*count, *digest}};
}

std::string to_text(const InclusionProof& proof) {
  std::string text = fmt::format("{}\n", kProofHead);
  if (proof.fact) {
    text += fmt::format("{}{}\n", kExtra, base64_encode(std::as_bytes(std::span(*proof.fact))));
  }
  text += fmt::format("{}{}\n", kIndex, proof.index);
  for (const crypto::Digest& digest : proof.digests) text += base64_encode(digest) + "\n";
  return text + "\n" + proof.signed_checkpoint;
}

Result<InclusionProof> parse_proof(std::string_view text) {
  if (text.size() > kProofBytesMax) return no_proof("it is longer than 128 MiB");
  if (take_line(text) != kProofHead) {
    return no_proof(fmt::format("its first line is not {}", kProofHead));
  }
  InclusionProof proof;
  auto line = take_line(text);
  if (line && line->starts_with(kExtra)) {
    const auto bytes = base64_decode(line->substr(kExtra.size()));
    if (!bytes) return no_proof("the fact in it is not in base64");
    proof.fact.emplace(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    line = take_line(text);
  }
  if (!line || !line->starts_with(kIndex)) return no_proof("it does not say which fact it proves");
  const auto index = number_in(line->substr(kIndex.size()));
  if (!index) return no_proof("the number of the fact is no number");
  proof.index = *index;
  Result<Digests> digests = take_digests(text);
  if (!digests) return no_proof(digests.error().message);
  proof.digests = *std::move(digests);
  proof.signed_checkpoint = text;
  return proof;
}

}  // namespace surety::record
