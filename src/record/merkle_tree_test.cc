#include "record/merkle_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace surety::record {
namespace merkle_tree_test {

using crypto::Digest;

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Digest leaf(std::string_view text) { return leaf_digest(std::as_bytes(std::span(text))); }

Digests leaves_of(std::size_t count) {
  Digests leaves;
  for (std::size_t i = 0; i < count; ++i) leaves.push_back(leaf(std::to_string(i)));
  return leaves;
}

// The test data of the first implementation of RFC 6962.
TEST(MerkleTree, HasTheRootsOfTheReferenceImplementation) {
  using namespace std::string_view_literals;
  const std::vector<std::string_view> records{
      ""sv,
      "\x00"sv,
      "\x10"sv,
      "\x20\x21"sv,
      "\x30\x31"sv,
      "\x40\x41\x42\x43"sv,
      "\x50\x51\x52\x53\x54\x55\x56\x57"sv,
      "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"sv};
  const std::vector<std::string> roots{
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
  MerkleTree tree;
  EXPECT_EQ(hex(tree.root()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (std::size_t i = 0; i < records.size(); ++i) {
    tree.append(leaf(records[i]));
    EXPECT_EQ(tree.size(), i + 1);
    EXPECT_EQ(hex(tree.root()), roots[i]) << i;
  }
}

TEST(MerkleTree, EachLeafIsProvedToBeInEachTreeAndNowhereElse) {
  for (std::size_t size = 1; size <= 40; ++size) {
    const Digests leaves = leaves_of(size);
    const Digest root = root_of(leaves);
    for (std::size_t index = 0; index < size; ++index) {
      const Digests proof = prove_inclusion(leaves, index);
      EXPECT_LE(proof.size(), 6u);
      EXPECT_TRUE(is_included(leaves[index], index, size, proof, root));
      for (std::size_t other = 0; other <= size; ++other) {
        EXPECT_EQ(is_included(leaves[index], other, size, proof, root), other == index);
        if (other < size && other != index) {
          EXPECT_FALSE(is_included(leaves[other], index, size, proof, root));
        }
      }
    }
  }
}

TEST(MerkleTree, AChangedProofOfInclusionProvesNothing) {
  const Digests leaves = leaves_of(13);
  const Digest root = root_of(leaves);
  const Digests proof = prove_inclusion(leaves, 5);
  for (std::size_t i = 0; i < proof.size(); ++i) {
    Digests changed = proof;
    changed[i][0] ^= std::byte{1};
    EXPECT_FALSE(is_included(leaves[5], 5, 13, changed, root));
    changed = proof;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(is_included(leaves[5], 5, 13, changed, root));
    changed = proof;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), proof[i]);
    EXPECT_FALSE(is_included(leaves[5], 5, 13, changed, root));
  }
  EXPECT_FALSE(is_included(leaves[5], 5, 0, proof, root));
}

TEST(MerkleTree, GrowthIsProvedFromEachTreeToEachLaterOne) {
  const Digests leaves = leaves_of(40);
  for (std::size_t later = 1; later <= leaves.size(); ++later) {
    const std::span<const Digest> all = std::span(leaves).first(later);
    const TreeHead grown{later, root_of(all)};
    for (std::size_t earlier = 1; earlier <= later; ++earlier) {
      const TreeHead before{earlier, root_of(all.first(earlier))};
      const Digests proof = prove_growth(all, earlier);
      EXPECT_TRUE(has_grown(before, grown, proof)) << earlier << " to " << later;
      TreeHead other = before;
      other.root[0] ^= std::byte{1};
      EXPECT_FALSE(has_grown(other, grown, proof));
      for (std::size_t i = 0; i < proof.size(); ++i) {
        Digests changed = proof;
        changed[i][31] ^= std::byte{1};
        EXPECT_FALSE(has_grown(before, grown, changed));
      }
    }
  }
}

TEST(MerkleTree, ATreeThatForgotOrChangedALeafHasNotGrown) {
  Digests leaves = leaves_of(20);
  const TreeHead before{11, root_of(std::span(leaves).first(11))};
  leaves[3] = leaf("another");
  const TreeHead changed{20, root_of(leaves)};
  EXPECT_FALSE(has_grown(before, changed, prove_growth(leaves, 11)));
  EXPECT_FALSE(has_grown({0, {}}, changed, {}));
  EXPECT_FALSE(has_grown(changed, before, {}));
}

}  // namespace merkle_tree_test
}  // namespace surety::record
