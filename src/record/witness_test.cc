#include "record/witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::record {
namespace witness_test {

using ::testing::HasSubstr;

Signer signer_of(const std::string& name, int number) {
  crypto::Key seed{};
  seed[0] = static_cast<std::byte>(number);
  return {name, crypto::SigningKey(seed)};
}

// A record whose owner is honest unless a test makes it another one.
class Witnessing : public ::testing::Test {
 protected:
  void grow_to(std::size_t size) {
    while (leaves_.size() < size) {
      const std::string record = fmt::format("record {}", leaves_.size());
      leaves_.push_back(leaf_digest(std::as_bytes(std::span(record))));
    }
  }
  TreeHead head() const {
    MerkleTree tree;
    for (const crypto::Digest& leaf : leaves_) tree.append(leaf);
    return {tree.size(), tree.root()};
  }
  Submission submission(std::uint64_t old_size) const {
    Note note{to_text(Checkpoint{"surety.run/j/j-1/1", head()}), {}};
    sign(note, owner_);
    Submission submission{.old_size = old_size, .proof = {}, .signed_checkpoint = to_text(note)};
    if (old_size > 0 && old_size <= leaves_.size()) {
      submission.proof = prove_growth(leaves_, old_size);
    }
    return submission;
  }
  WitnessAnswer answer(const Submission& submission) {
    WitnessAnswer given = witness(submission, witnessed_, {owner_.verifier()}, self_, now_s_);
    if (given.code == 200) witnessed_[*given.origin] = given.seen;
    return given;
  }

  Digests leaves_;
  Signer owner_ = signer_of("acme", 1);
  Signer self_ = signer_of("clinic-b", 2);
  Witnessed witnessed_;
  std::uint64_t now_s_ = 1'800'000'000;
};

TEST_F(Witnessing, EachCheckpointThatContinuesTheLastOneIsSignedWithItsTime) {
  std::uint64_t seen = 0;
  for (const std::size_t size : {1u, 2u, 7u, 8u, 8u, 40u}) {
    grow_to(size);
    ++now_s_;
    const Submission sent = submission(seen);
    const WitnessAnswer given = answer(sent);
    ASSERT_EQ(given.code, 200) << given.text;
    const Note note = parse_note(sent.signed_checkpoint + given.text).value();
    EXPECT_EQ(cosigned_at(note, witness_verifier(self_)), now_s_);
    EXPECT_TRUE(is_signed_by(note, owner_.verifier()));
    EXPECT_EQ(cosigned_at(note, witness_verifier(signer_of("clinic-b", 3))), std::nullopt);
    seen = size;
  }
}

TEST_F(Witnessing, AnotherHistoryIsRefused) {
  grow_to(8);
  ASSERT_EQ(answer(submission(0)).code, 200);
  leaves_[3] = leaf_digest({});
  EXPECT_EQ(answer(submission(8)).code, 409);  // Another journal of the same size.
  EXPECT_TRUE(answer(submission(8)).is_other_history);
  grow_to(12);
  EXPECT_EQ(answer(submission(8)).code, 422);
  EXPECT_TRUE(answer(submission(8)).is_other_history);
  EXPECT_EQ(answer(submission(0)).code, 409);            // The owner says that it was never seen.
  EXPECT_FALSE(answer(submission(0)).is_other_history);  // This cannot be known yet.
  EXPECT_EQ(answer(submission(0)).text, "8\n");
  leaves_.resize(5);
  EXPECT_EQ(answer(submission(5)).code, 409);
  EXPECT_EQ(answer(submission(8)).code, 400);
  EXPECT_EQ(witnessed_.begin()->second.head.size, 8u);
}

TEST_F(Witnessing, AJournalWithoutRecordsIsNotSigned) {
  EXPECT_EQ(answer(submission(0)).code, 400);
  EXPECT_TRUE(witnessed_.empty());
}

// Names are stored for ever, and shown on terminals.
TEST_F(Witnessing, AStrangeNameIsNotSigned) {
  grow_to(3);
  const std::string long_name(257, 'a');
  for (const std::string& name : {long_name, std::string("a\x1b[2J"), std::string("a\rb")}) {
    Note note{to_text(Checkpoint{name, head()}), {}};
    sign(note, owner_);
    EXPECT_EQ(answer({.old_size = 0, .proof = {}, .signed_checkpoint = to_text(note)}).code, 400);
  }
}

TEST_F(Witnessing, AFirstSubmissionHasNoProof) {
  grow_to(3);
  Submission sent = submission(0);
  sent.proof.push_back(head().root);
  EXPECT_EQ(answer(sent).code, 422);
}

TEST_F(Witnessing, AnotherOwnerCannotContinueAJournal) {
  grow_to(3);
  ASSERT_EQ(answer(submission(0)).code, 200);
  const Signer other = signer_of("other", 5);
  Note note{to_text(Checkpoint{"surety.run/j/j-1/1", head()}), {}};
  sign(note, other);
  const Submission sent{.old_size = 3, .proof = {}, .signed_checkpoint = to_text(note)};
  EXPECT_EQ(witness(sent, witnessed_, {owner_.verifier(), other.verifier()}, self_, now_s_).code,
            403);
}

TEST_F(Witnessing, NobodyButAnOwnerIsSigned) {
  grow_to(3);
  owner_ = signer_of("acme", 9);
  const Submission sent = submission(0);
  owner_ = signer_of("acme", 1);
  EXPECT_EQ(answer(sent).code, 403);
}

TEST_F(Witnessing, ATimeCannotBeChangedAfterwards) {
  grow_to(3);
  const Submission sent = submission(0);
  Note note = parse_note(sent.signed_checkpoint + answer(sent).text).value();
  note.signatures.back().bytes[7] ^= std::byte{1};
  EXPECT_EQ(cosigned_at(note, witness_verifier(self_)), std::nullopt);
}

TEST_F(Witnessing, ItsTextsAreReadAsTheyWereWritten) {
  grow_to(9);
  const Submission sent = submission(4);
  const auto read = parse_submission(to_text(sent));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_text(*read), to_text(sent));
  EXPECT_EQ(read->proof, sent.proof);
  const Witnessed seen{{"surety.run/a b/1", {head(), 7}}, {"z", {{1, {}}, 8}}};
  EXPECT_EQ(parse_witnessed(to_text(seen)).value(), seen);
  EXPECT_EQ(parse_witnessed(to_text(Witnessed{})).value(), Witnessed{});
  EXPECT_FALSE(parse_witnessed(to_text(seen) + to_text(seen)));
  EXPECT_FALSE(parse_witnessed("8 AAAA z\n"));
  EXPECT_THAT(parse_submission("new 3\n\n").error().message, HasSubstr("old SIZE"));
  EXPECT_THAT(parse_submission("old 3\nAAAA\n\n").error().message, HasSubstr("32 bytes"));
  EXPECT_THAT(parse_submission("old 3\n").error().message, HasSubstr("ends before"));
}

TEST_F(Witnessing, AStateThatWasCutOrChangedIsFound) {
  grow_to(9);
  const std::string text = to_text(Witnessed{{"a", {head(), 7}}, {"b", {head(), 7}}});
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse_witnessed(std::string_view(text).substr(0, length))) << length;
    std::string changed = text;
    changed[length] ^= 1;
    EXPECT_FALSE(parse_witnessed(changed)) << length;
  }
}

}  // namespace witness_test
}  // namespace surety::record
