// A Merkle tree over a list of records (RFC 6962, section 2.1): its root is a digest of the whole
// list. A short proof shows that a record is in the list, or that a longer list begins with a
// shorter one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/crypto/digest.h"

namespace surety::record {

using Digests = std::vector<crypto::Digest>;
// The most digests of a proof: a tree of less than 2^63 leaves needs no more.
inline constexpr std::size_t kProofDigestsMax = 63;

// The digest of one record.
[[nodiscard]] crypto::Digest leaf_digest(std::span<const std::byte> record);

// Grows by one record at a time, and keeps as few digests as possible. O(log n) memory, and O(1)
// digests a record on average.
class MerkleTree {
 public:
  void append(const crypto::Digest& leaf);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] crypto::Digest root() const;

 private:
  std::uint64_t size_ = 0;
  Digests subtrees_;  // Roots of complete subtrees, the largest and oldest first.
};

// The root of the tree of these leaves. O(n).
[[nodiscard]] crypto::Digest root_of(std::span<const crypto::Digest> leaves);

// ---- proofs -------------------------------------------------------------------------------------

// Proves that the leaf with this index, from 0, is in the tree of these leaves. O(n).
// REQUIRES: index < leaves.size().
[[nodiscard]] Digests prove_inclusion(std::span<const crypto::Digest> leaves, std::uint64_t index);
// Proves that the tree of these leaves begins with the tree of the first `size` ones. O(n).
// REQUIRES: 0 < size <= leaves.size().
[[nodiscard]] Digests prove_growth(std::span<const crypto::Digest> leaves, std::uint64_t size);

// Whether `proof` shows that the leaf has this index in the tree with this size and root.
[[nodiscard]] bool is_included(const crypto::Digest& leaf, std::uint64_t index, std::uint64_t size,
                               std::span<const crypto::Digest> proof, const crypto::Digest& root);

struct TreeHead {
  std::uint64_t size = 0;
  crypto::Digest root{};
  bool operator==(const TreeHead&) const = default;
};
// Whether `proof` shows that the later tree begins with the earlier one.
[[nodiscard]] bool has_grown(const TreeHead& earlier, const TreeHead& later,
                             std::span<const crypto::Digest> proof);

}  // namespace surety::record
