// Calls of witnesses beside a journal that grows.
#include "cli/run/witness_calls.h"

#include <gtest/gtest.h>

#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "runtime/files/journal_file.h"
#include "runtime/witness/cosign.h"
#include "runtime/witness/witness_server.h"

namespace surety::cli {
namespace witness_calls_posix_test {

record::Signer signer_of(const std::string& name, int number) {
  crypto::Key seed{};
  seed[0] = static_cast<std::byte>(number);
  return {name, crypto::SigningKey(seed)};
}

class Calls : public ::testing::Test {
 protected:
  void SetUp() override {
    state_ = runtime::WitnessState::open(folder_.path() / "witnessed", {owner_.verifier()},
                                         signer_of("clinic-b", 2))
                 .value();
    server_ = runtime::WitnessServer::start(*state_, {}).value();
    journal_.emplace(runtime::JournalFile::create(run() / orchestrator::run_folder::kJournal,
                                                  runtime::JournalKey{"surety.run/j/1", owner_})
                         .value());
  }
  std::filesystem::path run() const { return folder_.path(); }
  std::vector<std::string> urls() const {
    return {fmt::format("http://127.0.0.1:{}", server_->port())};
  }
  void grow() {
    proto::JournalRecord record;
    record.mutable_run_stopped()->set_reason("a reason");
    ASSERT_TRUE(journal_->append(record));
    ASSERT_TRUE(journal_->sync());
  }
  // The number of records that the witness has signed.
  std::uint64_t seen() const {
    const auto notes = runtime::read_cosigned(run());
    if (!notes || notes->empty()) return 0;
    return record::parse_checkpoint(notes->front().text)->head.size;
  }

  const posix::TemporaryFolder folder_;
  const record::Signer owner_ = signer_of("acme", 1);
  std::unique_ptr<runtime::WitnessState> state_;
  std::unique_ptr<runtime::WitnessServer> server_;
  std::optional<runtime::JournalFile> journal_;
};

TEST_F(Calls, WhatIsNewIsSignedWhileTheRunContinues) {
  grow();
  WitnessCalls calls(run(), urls(), std::chrono::milliseconds(20));
  EXPECT_TRUE(posix::wait_until("the first record is signed", [&] { return seen() == 1; }));
  grow();
  EXPECT_TRUE(posix::wait_until("the second one is signed", [&] { return seen() == 2; }));
}

TEST_F(Calls, TheEndIsSignedWithoutWaitingForTheNextCall) {
  WitnessCalls calls(run(), urls(), std::chrono::hours(1));
  grow();
  calls.finish();
  EXPECT_EQ(seen(), 1u);
}

TEST_F(Calls, WithoutWitnessesNothingIsDone) {
  grow();
  WitnessCalls calls(run(), {}, std::chrono::milliseconds(1));
  calls.finish();
  EXPECT_EQ(seen(), 0u);
}

}  // namespace witness_calls_posix_test
}  // namespace surety::cli
