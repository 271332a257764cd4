// A run whose journal a witness signs: what this proves to others, and what it reveals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/posix/file.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "orchestrator/history/continuation.h"
#include "orchestrator/history/journal.h"
#include "record/witness.h"
#include "runtime/files/journal_file.h"
#include "runtime/files/keys.h"

namespace surety::cli {
namespace witness_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class WitnessedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished made = runs_.surety({"keys", "init", "--name", "acme"});
    ASSERT_EQ(made.code, kKept) << made.output;
    owner_ = runtime::read_signer(fs::path(runs_.path("config")) / "surety").value();
    witness_ = runtime::create_signer(fs::path(runs_.path("other")) / "surety", "clinic-b").value();
  }

  // Starts the witness, and sets `url_`.
  posix::Process start_witness() {
    posix::Process process =
        runs_.start({"witness", "--owner", owner_->verifier().text(), "--listen", "127.0.0.1:0"},
                    "witness", {{"XDG_CONFIG_HOME", runs_.path("other")}});
    EXPECT_TRUE(runs_.wait_for_output("witness", "listening at ", 1, &process));
    const std::string text = runs_.output("witness");
    const std::size_t at = text.find("http://");
    url_ = text.substr(at, text.find(' ', at) - at);
    return process;
  }
  Finished verify(const std::string& run) {
    return runs_.surety({"verify", runs_.path(run), "--key", owner_->verifier().text(), "--witness",
                         record::witness_verifier(*witness_).text()});
  }

  // Writes the journal of the run anew, as its owner can: all signatures are right.
  void sign_journal(const Records& records) const {
    const fs::path folder = runs_.path("run");
    const std::string origin = orchestrator::record_origin(
        records.front().run_began().run(), records.front().run_began().started_unix_s());
    fs::remove(folder / "journal.log");
    auto journal =
        runtime::JournalFile::create(folder / "journal.log", runtime::JournalKey{origin, *owner_});
    ASSERT_TRUE(journal) << journal.error().message;
    for (const proto::JournalRecord& record : records) ASSERT_TRUE(journal->append(record));
    ASSERT_TRUE(journal->sync());
  }

  // Keeps and signs the first records as they are. Records that are written anew may have other
  // bytes, because the order of a map in a message is not defined.
  void cut_journal(std::size_t kept) const {
    Records records = runs_.journal("run");
    const std::string origin = orchestrator::record_origin(
        records.front().run_began().run(), records.front().run_began().started_unix_s());
    auto journal = runtime::JournalFile::open(
        fs::path(runs_.path("run")) / "journal.log", records,
        [&](const auto&, const auto&) -> Result<runtime::Opening> {
          return runtime::Opening{.kept = kept, .key = runtime::JournalKey{origin, *owner_}};
        });
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE(journal->sync());
  }

  Runs runs_;
  std::optional<record::Signer> owner_;
  std::optional<record::Signer> witness_;
  std::string url_;
};

TEST_F(WitnessedRun, ItsEndIsSeenByTheWitnessAndARewrittenJournalIsFound) {
  posix::Process process = start_witness();
  const Finished done = runs_.surety(runs_.training(3, {"record.witnesses=[\"" + url_ + "\"]"}));
  ASSERT_EQ(done.code, kMissed) << done.output;
  EXPECT_THAT(done.output, HasSubstr("witness:     clinic-b answered for"));
  const Finished verified = verify("run");
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("ok    a witness has seen the journal: "));

  // A proof can be checked by people who know both keys and have nothing else.
  const std::string proof = runs_.path("proof");
  ASSERT_EQ(runs_.surety({"prove", runs_.path("run"), "--verdict", "--out", proof}).code, kKept);
  const Finished proved =
      runs_.surety({"verify", "--proof", proof, "--key", owner_->verifier().text(), "--witness",
                    record::witness_verifier(*witness_).text()});
  EXPECT_EQ(proved.code, kKept) << proved.output;
  EXPECT_THAT(proved.output, HasSubstr("seen by clinic-b"));

  Records records = runs_.journal("run");
  for (proto::JournalRecord& record : records) {
    if (record.has_pass_done()) record.mutable_pass_done()->set_seconds(0.5);
  }
  sign_journal(records);
  const Finished rewritten = verify("run");
  EXPECT_EQ(rewritten.code, kFailed) << rewritten.output;
  EXPECT_THAT(rewritten.output, AllOf(HasSubstr("ok    the journal is signed: "),
                                      HasSubstr("FAIL  a witness has seen the journal: "),
                                      HasSubstr("the witness has seen other records")));
  const Finished again = runs_.surety({"cosign", runs_.path("run"), "--witness", url_});
  EXPECT_EQ(again.code, kFailed) << again.output;
  EXPECT_THAT(again.output, HasSubstr("another history of this run"));
}

TEST_F(WitnessedRun, AWitnessThatIsAwayDoesNotChangeTheResultAndMayBeAskedLater) {
  const Finished done =
      runs_.surety(runs_.training(3, {"record.witnesses=[\"http://127.0.0.1:9\"]"}));
  ASSERT_EQ(done.code, kMissed) << done.output;
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("warning: the witness http://127.0.0.1:9 did not answer"),
                    HasSubstr("surety cosign ")));
  const Finished unseen = verify("run");
  EXPECT_EQ(unseen.code, kFailed) << unseen.output;
  EXPECT_THAT(unseen.output, HasSubstr("nothing here is signed by clinic-b"));

  posix::Process process = start_witness();
  ASSERT_EQ(runs_.surety({"cosign", runs_.path("run"), "--witness", url_}).code, kKept);
  EXPECT_EQ(verify("run").code, kKept);
  process.send_signal(SIGTERM);
  const auto ended = process.wait(posix::kTestPatience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, kKept);
}

// The owner may rewrite everything that comes after the checkpoint that the witness has signed.
TEST_F(WitnessedRun, AJournalThatWasSeenInPartOnlyDoesNotPass) {
  posix::Process process = start_witness();
  ASSERT_EQ(runs_.surety(runs_.training(3)).code, kMissed);
  const fs::path folder = runs_.path("run");
  const std::string whole = posix::read_file(folder / "journal.log").value();
  const std::string head = posix::read_file(folder / "journal.signed").value();
  cut_journal(3);
  ASSERT_EQ(runs_.surety({"cosign", runs_.path("run"), "--witness", url_}).code, kKept);
  ASSERT_TRUE(posix::write_file_atomically(folder / "journal.log", whole));
  ASSERT_TRUE(posix::write_file_atomically(folder / "journal.signed", head));
  const Finished partly = verify("run");
  EXPECT_EQ(partly.code, kFailed) << partly.output;
  EXPECT_THAT(partly.output, HasSubstr("only the first 3 records of surety.run/run/"));
  ASSERT_EQ(runs_.surety({"cosign", runs_.path("run"), "--witness", url_}).code, kKept);
  EXPECT_EQ(verify("run").code, kKept);
}

TEST_F(WitnessedRun, AKeyHasOneWitness) {
  posix::Process process = start_witness();
  posix::Process second = runs_.start({"witness", "--owner", owner_->verifier().text(), "--listen",
                                       "127.0.0.1:0", "--state", runs_.path("another")},
                                      "second", {{"XDG_CONFIG_HOME", runs_.path("other")}});
  const auto ended = second.wait(posix::kTestPatience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, kUsage);
  EXPECT_THAT(runs_.output("second"), HasSubstr("a key has only one witness"));
}

TEST_F(WitnessedRun, WitnessesNeedAKeyOfTheOwner) {
  fs::remove_all(fs::path(runs_.path("config")) / "surety");
  const Finished refused =
      runs_.surety(runs_.training(3, {"record.witnesses=[\"http://127.0.0.1:9\"]"}));
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.output, HasSubstr("surety keys init"));
}

TEST_F(WitnessedRun, WrongKeysAndAddressesAreNamed) {
  const std::string as_witness = record::witness_verifier(*owner_).text();
  const std::string as_owner = owner_->verifier().text();
  const auto is_refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Finished refused = runs_.surety(arguments);
    EXPECT_EQ(refused.code, kUsage) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr(why));
  };
  is_refused({"witness", "--owner", as_witness}, "--owner: found the key of a witness");
  is_refused({"witness", "--owner", as_owner, "--listen", "here"}, "expected HOST:PORT");
  is_refused({"verify", "x", "--witness", as_owner},
             "--witness: found the key of a record's owner");
  is_refused({"cosign", "x", "--witness", "ftp://a"}, "expected a URL such as");
  is_refused(runs_.training(3, {"record.witnesses=[here]"}), "record.witnesses");
}

}  // namespace witness_posix_test
}  // namespace surety::cli
