#include "orchestrator/history/continuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace continuation_test {

using ::testing::HasSubstr;

record::Signer signer_of(int number) {
  crypto::Key seed{};
  seed[0] = static_cast<std::byte>(number);
  return {"acme", crypto::SigningKey(seed)};
}

// A journal whose first records were signed.
class Continued : public ::testing::Test {
 protected:
  Continued() {
    proto::JournalRecord began;
    began.mutable_run_began()->set_run("j-1");
    began.mutable_run_began()->set_started_unix_s(5);
    began.mutable_run_began()->set_signer(own_.verifier().text());
    add(began);
    for (int pass = 1; pass <= 3; ++pass) {
      proto::JournalRecord done;
      done.mutable_pass_done()->set_pass(static_cast<std::uint32_t>(pass));
      add(done);
    }
  }
  void add(const proto::JournalRecord& record) {
    records_.push_back(record);
    leaves_.push_back(leaf_of(encode_record(record)));
  }
  void sign(std::size_t count, const std::string& run = "j-1", int signer = 1) {
    const std::span first = std::span(leaves_).first(count);
    head_ = record::Note{
        record::to_text(record::Checkpoint{record_origin(run, 5), {count, record::root_of(first)}}),
        {}};
    record::sign(*head_, signer_of(signer));
  }
  Result<Continuation> next(bool has_key = true) const {
    return continuation_of(records_, leaves_, head_,
                           has_key ? std::optional(own_.verifier()) : std::nullopt);
  }
  std::string refusal() const {
    const auto result = next();
    return result ? "none" : result.error().message;
  }

  record::Signer own_ = signer_of(1);
  std::vector<proto::JournalRecord> records_;
  record::Digests leaves_;
  std::optional<record::Note> head_;
};

TEST_F(Continued, ASignedJournalIsContinuedAndSigned) {
  sign(4);
  const auto all = next();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->kept, 4u);
  EXPECT_TRUE(all->is_signed);
  EXPECT_FALSE(all->remark);
}

TEST_F(Continued, RecordsAfterTheLastSignatureAreRemoved) {
  sign(2);
  const auto some = next();
  ASSERT_TRUE(some);
  EXPECT_EQ(some->kept, 2u);
  EXPECT_TRUE(some->is_signed);
  EXPECT_THAT(some->remark.value(), HasSubstr("2 records after the last signature are removed"));
}

TEST_F(Continued, AJournalThatOurKeyHasNotSignedIsRefused) {
  EXPECT_THAT(refusal(), HasSubstr("the signature of the journal is missing"));
  sign(4, "j-1", 2);
  EXPECT_THAT(refusal(), HasSubstr("no valid signature of your key"));
  sign(4, "j-2");
  EXPECT_THAT(refusal(), HasSubstr("of another run"));
  sign(4);
  leaves_[2][0] ^= std::byte{1};
  EXPECT_THAT(refusal(), HasSubstr("one of the first 4 records is not the one that was signed"));
  leaves_.resize(3);
  records_.resize(3);
  EXPECT_THAT(refusal(), HasSubstr("4 records were signed, and the journal has 3"));
}

TEST_F(Continued, ARunThatWasContinuedWithoutItsKeyIsNotSignedAnyMore) {
  sign(4);
  const auto without = next(false);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->kept, 4u);
  EXPECT_FALSE(without->is_signed);
  EXPECT_THAT(without->remark.value(), HasSubstr("the key acme is not here"));
  proto::JournalRecord resumed;
  resumed.mutable_run_resumed()->set_term(2);
  add(resumed);
  const auto later = next();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->kept, 5u);
  EXPECT_FALSE(later->is_signed);
  EXPECT_THAT(later->remark.value(), HasSubstr("continued without your key"));
}

TEST_F(Continued, ARunThatBeganWithoutAKeyIsNeverSigned) {
  records_.front().mutable_run_began()->clear_signer();
  const auto all = next();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->kept, 4u);
  EXPECT_FALSE(all->is_signed);
  EXPECT_FALSE(all->remark);
}

TEST(RecordOrigin, IsOneLineWhateverTheFolderIsCalled) {
  EXPECT_EQ(record_origin("mnist-1", 1.5), "surety.run/mnist-1/1.500000");
  EXPECT_EQ(record_origin("a b\n/\xc3\xa4", 1.5), "surety.run/a%20b%0A%2F%C3%A4/1.500000");
}

}  // namespace continuation_test
}  // namespace surety::orchestrator
