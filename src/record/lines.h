// Reads the lines that notes, checkpoints and proofs consist of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/crypto/digest.h"
#include "base/result.h"
#include "record/merkle_tree.h"

namespace surety::record {

// Takes the next line from the text, without its end; absent if there is none.
[[nodiscard]] std::optional<std::string_view> take_line(std::string_view& text);

// A whole number as it is usually written: without a sign and without zeros in front.
[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text);

// Takes the digests of a proof, one in each line, and the empty line that follows them. Corrupt: a
// line is no digest, the empty line is missing, or there are more than kProofDigestsMax.
[[nodiscard]] Result<Digests> take_digests(std::string_view& text);

// A digest in base64.
[[nodiscard]] std::optional<crypto::Digest> digest_in(std::string_view text);

}  // namespace surety::record
