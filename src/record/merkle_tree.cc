#include "record/merkle_tree.h"

#include <bit>

#include "base/check.h"

namespace surety::record {
namespace {

using crypto::Digest;

// The first hashed byte differs, so a record is never taken for a pair of digests, nor a pair for a
// record.
constexpr std::byte kLeaf{0};
constexpr std::byte kNode{1};

Digest node_digest(const Digest& left, const Digest& right) {
  return crypto::sha256({std::span(&kNode, 1), left, right});
}

// How many leaves are on the left side of a tree with this many. REQUIRES: size > 1.
std::uint64_t left_size(std::uint64_t size) { return std::bit_floor(size - 1); }

// RFC 6962, 2.1.2: SUBPROOF. `is_known`: the verifier has the root of the tree of `size` leaves.
void add_growth(std::span<const Digest> leaves, std::uint64_t size, bool is_known, Digests& proof) {
  if (size == leaves.size()) {
    if (!is_known) proof.push_back(root_of(leaves));
    return;
  }
  const std::uint64_t left = left_size(leaves.size());
  if (size <= left) {
    add_growth(leaves.first(left), size, is_known, proof);
    proof.push_back(root_of(leaves.subspan(left)));
  } else {
    add_growth(leaves.subspan(left), size - left, false, proof);
    proof.push_back(root_of(leaves.first(left)));
  }
}

}  // namespace

Digest leaf_digest(std::span<const std::byte> record) {
  return crypto::sha256({std::span(&kLeaf, 1), record});
}

void MerkleTree::append(const Digest& leaf) {
  subtrees_.push_back(leaf);
  // Each 1 at the end of the binary number means that two subtrees of equal size are joined.
  for (std::uint64_t pairs = size_; (pairs & 1) != 0; pairs >>= 1) {
    const Digest right = subtrees_.back();
    subtrees_.pop_back();
    subtrees_.back() = node_digest(subtrees_.back(), right);
  }
  ++size_;
}

Digest MerkleTree::root() const {
  if (subtrees_.empty()) return crypto::sha256(std::span<const std::byte>());
  Digest root = subtrees_.back();
  for (std::size_t i = subtrees_.size() - 1; i-- > 0;) root = node_digest(subtrees_[i], root);
  return root;
}

Digest root_of(std::span<const Digest> leaves) {
  MerkleTree tree;
  for (const Digest& leaf : leaves) tree.append(leaf);
  return tree.root();
}

// ---- proofs -------------------------------------------------------------------------------------

Digests prove_inclusion(std::span<const Digest> leaves, std::uint64_t index) {
  SURETY_CHECK(index < leaves.size());
  Digests proof;  // In the order from the root to the leaf; the order is reversed below.
  while (leaves.size() > 1) {
    const std::uint64_t left = left_size(leaves.size());
    const bool is_left = index < left;
    proof.push_back(root_of(is_left ? leaves.subspan(left) : leaves.first(left)));
    leaves = is_left ? leaves.first(left) : leaves.subspan(left);
    if (!is_left) index -= left;
  }
  return {proof.rbegin(), proof.rend()};
}

Digests prove_growth(std::span<const Digest> leaves, std::uint64_t size) {
  SURETY_CHECK(size > 0 && size <= leaves.size());
  Digests proof;
  add_growth(leaves, size, true, proof);
  return proof;
}

// RFC 9162, 2.1.3.2.
bool is_included(const Digest& leaf, std::uint64_t index, std::uint64_t size,
                 std::span<const Digest> proof, const Digest& root) {
  if (index >= size) return false;
  std::uint64_t at = index;
  std::uint64_t last = size - 1;
  Digest found = leaf;
  for (const Digest& sibling : proof) {
    if (last == 0) return false;
    if ((at & 1) != 0 || at == last) {
      found = node_digest(sibling, found);
      while (at != 0 && (at & 1) == 0) {
        at >>= 1;
        last >>= 1;
      }
    } else {
      found = node_digest(found, sibling);
    }
    at >>= 1;
    last >>= 1;
  }
  return last == 0 && found == root;
}

// RFC 9162, 2.1.4.2.
bool has_grown(const TreeHead& earlier, const TreeHead& later, std::span<const Digest> proof) {
  if (earlier.size == 0 || earlier.size > later.size) return false;
  if (earlier.size == later.size) return proof.empty() && earlier.root == later.root;
  std::uint64_t at = earlier.size - 1;
  std::uint64_t last = later.size - 1;
  while ((at & 1) != 0) {
    at >>= 1;
    last >>= 1;
  }
  // If the earlier tree is a complete subtree, its root is not a part of the proof.
  Digest of_earlier = earlier.root;
  if (at != 0) {
    if (proof.empty()) return false;
    of_earlier = proof.front();
    proof = proof.subspan(1);
  }
  Digest of_later = of_earlier;
  for (const Digest& sibling : proof) {
    if (last == 0) return false;
    if ((at & 1) != 0 || at == last) {
      of_earlier = node_digest(sibling, of_earlier);
      of_later = node_digest(sibling, of_later);
      while (at != 0 && (at & 1) == 0) {
        at >>= 1;
        last >>= 1;
      }
    } else {
      of_later = node_digest(of_later, sibling);
    }
    at >>= 1;
    last >>= 1;
  }
  return last == 0 && of_earlier == earlier.root && of_later == later.root;
}

}  // namespace surety::record
