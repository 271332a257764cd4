// A witness with its state on disk, and runs that ask it over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <filesystem>
#include <thread>

#include "base/posix/file.h"
#include "base/posix/net/ports_testing.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "runtime/files/journal_file.h"
#include "runtime/witness/cosign.h"
#include "runtime/witness/witness_server.h"

namespace surety::runtime {
namespace witness_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

record::Signer signer_of(const std::string& name, int number) {
  crypto::Key seed{};
  seed[0] = static_cast<std::byte>(number);
  return {name, crypto::SigningKey(seed)};
}

class Witnessing : public ::testing::Test {
 protected:
  void SetUp() override { begin_witness(); }

  void begin_witness() {
    server_.reset();
    state_.reset();
    auto state = WitnessState::open(state_file(), {owner_.verifier()}, self_);
    ASSERT_TRUE(state) << state.error().message;
    state_ = *std::move(state);
    auto server = WitnessServer::start(*state_, {});
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }
  fs::path state_file() const { return folder_.path() / "witnessed"; }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", server_->port()); }

  // A run whose signed journal has these records; `word` is a part of each.
  fs::path run(const std::string& name, std::size_t records, const std::string& word,
               const std::string& origin = "surety.run/j/j-1/1") {
    const fs::path folder = folder_.path() / name;
    fs::create_directories(folder);
    fs::remove(folder / orchestrator::run_folder::kJournal);
    auto journal = JournalFile::create(folder / orchestrator::run_folder::kJournal,
                                       JournalKey{origin, owner_});
    EXPECT_TRUE(journal) << journal.error().message;
    for (std::size_t i = 0; i < records; ++i) {
      proto::JournalRecord record;
      record.mutable_run_stopped()->set_reason(fmt::format("{} {}", word, i));
      EXPECT_TRUE(journal->append(record));
    }
    EXPECT_TRUE(journal->sync());
    return folder;
  }
  std::string error_of(const fs::path& run) const {
    const auto cosigned = cosign(run, url());
    return cosigned ? "" : cosigned.error().message;
  }

  const posix::TemporaryFolder folder_;
  const record::Signer owner_ = signer_of("acme", 1);
  const record::Signer self_ = signer_of("clinic-b", 2);
  std::unique_ptr<WitnessState> state_;
  std::unique_ptr<WitnessServer> server_;
};

TEST_F(Witnessing, AGrowingJournalIsSignedAgainAndAgain) {
  for (const std::size_t records : {1u, 5u, 5u, 64u}) {
    const fs::path folder = run("r", records, "a");
    const auto cosigned = cosign(folder, url());
    ASSERT_TRUE(cosigned) << cosigned.error().message;
    EXPECT_EQ(cosigned->keys, std::vector<std::string>{"clinic-b"});
    EXPECT_EQ(cosigned->records, records);
    const auto notes = read_cosigned(folder);
    ASSERT_TRUE(notes) << notes.error().message;
    ASSERT_EQ(notes->size(), 1u);
    EXPECT_TRUE(record::cosigned_at(notes->front(), record::witness_verifier(self_)));
    EXPECT_TRUE(record::is_signed_by(notes->front(), owner_.verifier()));
    EXPECT_EQ(record::parse_checkpoint(notes->front().text)->head.size, records);
  }
}

TEST_F(Witnessing, AnotherHistoryOfTheSameRunIsNotSigned) {
  ASSERT_EQ(error_of(run("r", 8, "a")), "");
  for (const std::size_t records : {8u, 9u}) {
    EXPECT_THAT(error_of(run("forged", records, "b")), HasSubstr("another history of this run"));
  }
  EXPECT_THAT(error_of(run("cut", 5, "a")), AllOf(HasSubstr("has seen 8 records"), HasSubstr("5")));
  EXPECT_TRUE(read_cosigned(folder_.path() / "forged").value().empty());
  EXPECT_EQ(error_of(run("r", 9, "a")), "");  // The honest run continues.
}

TEST_F(Witnessing, WhatItHasSeenOutlivesIt) {
  ASSERT_EQ(error_of(run("r", 8, "a")), "");
  begin_witness();
  EXPECT_THAT(error_of(run("forged", 9, "b")), HasSubstr("another history of this run"));
  EXPECT_EQ(error_of(run("r", 9, "a")), "");
}

TEST_F(Witnessing, ADamagedStateSignsNothing) {
  ASSERT_EQ(error_of(run("r", 8, "a")), "");
  server_.reset();
  state_.reset();
  std::string text = posix::read_file(state_file()).value();
  text[0] = '7';
  for (const std::string& damaged : {text, std::string()}) {
    ASSERT_TRUE(posix::write_file_atomically(state_file(), damaged));
    const auto state = WitnessState::open(state_file(), {owner_.verifier()}, self_);
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(state.error().message, HasSubstr("signs nothing"));
  }
}

TEST_F(Witnessing, TwoWitnessesDoNotShareAState) {
  const auto second = WitnessState::open(state_file(), {owner_.verifier()}, self_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another witness uses this file"));
}

TEST_F(Witnessing, TwoWitnessesDoNotShareAPort) {
  const auto second = WitnessServer::start(*state_, {.port = server_->port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(Witnessing, ARunOfAnotherOwnerIsNotSigned) {
  server_.reset();
  state_.reset();
  auto state = WitnessState::open(state_file(), {signer_of("acme", 3).verifier()}, self_);
  ASSERT_TRUE(state);
  state_ = *std::move(state);
  server_ = WitnessServer::start(*state_, {}).value();
  EXPECT_THAT(error_of(run("r", 8, "a")), HasSubstr("does not sign runs with this key"));
}

TEST_F(Witnessing, AFolderWithoutARunIsNamed) {
  EXPECT_THAT(error_of(folder_.path() / "nowhere"), HasSubstr("nowhere: found no run here"));
}

TEST_F(Witnessing, ARunWithoutAKeyIsRefused) {
  const fs::path folder = folder_.path() / "plain";
  fs::create_directories(folder);
  ASSERT_TRUE(JournalFile::create(folder / orchestrator::run_folder::kJournal));
  EXPECT_THAT(error_of(folder), HasSubstr("surety keys init"));
}

TEST_F(Witnessing, AWitnessThatIsAwayIsNamed) {
  const fs::path folder = run("r", 8, "a");
  const std::string gone = url();
  server_.reset();
  const auto cosigned = cosign(folder, gone);
  ASSERT_FALSE(cosigned);
  EXPECT_EQ(cosigned.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(cosigned.error().message, AllOf(HasSubstr(gone), HasSubstr("did not answer")));
}

// Anybody who reaches the port may send anything.
TEST_F(Witnessing, ABodyThatIsTooLongOrHasNoLengthIsNotRead) {
  httplib::Client client(url());
  const auto code = [](const httplib::Result& result) { return result ? result->status : 0; };
  EXPECT_EQ(code(client.Post("/add-checkpoint", std::string(65 << 10, 'x'), "text/plain")), 413);
  std::size_t sent = 0;
  const auto provide = [&](std::size_t, httplib::DataSink& sink) {
    const std::string piece(1 << 10, 'x');
    sent += piece.size();
    return sent < (100u << 20) && sink.write(piece.data(), piece.size());
  };
  EXPECT_EQ(code(client.Post("/add-checkpoint", provide, "text/plain")) % 411, 0);
  EXPECT_LT(sent, 100u << 20);
  const httplib::Headers packed{{"Content-Encoding", "gzip"}};
  EXPECT_EQ(code(client.Post("/add-checkpoint", packed, "x", "text/plain")), 415);
  EXPECT_EQ(code(client.Post("/add-checkpoint",
                             httplib::MultipartFormDataItems{{"a", "hi", "", "text/plain"}})),
            415);
  EXPECT_EQ(code(client.Get("/add-checkpoint")), 405);
  EXPECT_EQ(code(client.Get("/")), 404);
  EXPECT_EQ(error_of(run("r", 8, "a")), "");
}

TEST_F(Witnessing, AConflictHasTheTypeOfASize) {
  ASSERT_EQ(error_of(run("r", 8, "a")), "");
  const record::Submission again{
      .old_size = 3,
      .proof = {},
      .signed_checkpoint = record::to_text(
          read_signed_head(folder_.path() / "r" / orchestrator::run_folder::kJournal)
              .value()
              .value())};
  httplib::Client client(url());
  const auto answer = client.Post("/add-checkpoint", record::to_text(again), "text/plain");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/x.tlog.size");
  EXPECT_EQ(answer->body, "8\n");
}

// A false witness can harm only the file for its own URL.
TEST_F(Witnessing, AnAnswerWithoutASignatureIsNotStored) {
  httplib::Server liar;
  liar.Post("/add-checkpoint", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("\xe2\x80\x94 clinic-b AAAA\n", "text/plain");
  });
  const int port = liar.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { liar.listen_after_bind(); });
  EXPECT_TRUE(posix::wait_until("the false witness listens", [&] { return liar.is_running(); }));
  const fs::path folder = run("r", 8, "a");
  EXPECT_EQ(error_of(folder), "");
  const auto cosigned = cosign(folder, fmt::format("http://127.0.0.1:{}", port));
  liar.stop();
  thread.join();
  ASSERT_FALSE(cosigned);
  EXPECT_THAT(cosigned.error().message, HasSubstr("expected a signature"));
  EXPECT_EQ(read_cosigned(folder).value().size(), 1u);
}

// Somebody else may answer at the witness's address. The stored answer is still worth something.
TEST_F(Witnessing, AnAnswerByAnotherKeyDoesNotReplaceTheStoredOne) {
  const fs::path folder = run("r", 8, "a");
  const posix::ReservedPorts ports(1);
  WitnessServerOptions options;
  options.port = static_cast<std::uint16_t>(ports.first());
  const std::string url = fmt::format("http://127.0.0.1:{}", options.port);
  {
    auto first = WitnessServer::start(*state_, options);
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_TRUE(cosign(folder, url));
  }
  auto state =
      WitnessState::open(folder_.path() / "other", {owner_.verifier()}, signer_of("clinic-c", 3));
  ASSERT_TRUE(state) << state.error().message;
  auto server = WitnessServer::start(**state, options);
  ASSERT_TRUE(server) << server.error().message;
  const auto cosigned = cosign(folder, url);
  ASSERT_FALSE(cosigned);
  EXPECT_THAT(cosigned.error().message, AllOf(HasSubstr("clinic-c"), HasSubstr("is kept")));
  const auto kept = read_cosigned(folder).value();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].signatures.back().name, "clinic-b");
}

// If the answer left before the state is durable, a crash would make the witness forget it.
TEST_F(Witnessing, WithoutRoomForItsStateItSignsNothing) {
  fs::create_directories(state_file());  // A folder in place of the file cannot be replaced.
  ASSERT_TRUE(fs::is_directory(state_file()));
  EXPECT_THAT(error_of(run("r", 8, "a")), HasSubstr("answered 500: not stored"));
  fs::remove(state_file());
  EXPECT_EQ(error_of(run("r", 8, "a")), "");
}

}  // namespace witness_posix_test
}  // namespace surety::runtime
