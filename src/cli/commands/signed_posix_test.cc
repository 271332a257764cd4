// Signed records: what the owner's key proves to others, and which changes it reveals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/posix/file.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "orchestrator/history/journal.h"
#include "record/note.h"
#include "runtime/files/keys.h"

namespace surety::cli {
namespace signed_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

class SignedRun : public ::testing::Test {
 protected:
  void make_key(const std::string& name = "acme") {
    const Finished made = runs_.surety({"keys", "init", "--name", name});
    ASSERT_EQ(made.code, kKept) << made.output;
    key_ = runtime::read_signer(keys()).value().value().verifier().text();
    EXPECT_THAT(made.output, HasSubstr(key_));
  }
  void train(const std::vector<std::string>& sets = {}) {
    const Finished done = runs_.surety(runs_.training(3, sets));
    ASSERT_EQ(done.code, kMissed) << done.output;
  }
  Finished verify(const std::string& key = "") {
    std::vector<std::string> arguments{"verify", run().string()};
    if (!key.empty()) arguments.insert(arguments.end(), {"--key", key});
    return runs_.surety(arguments);
  }
  fs::path run() const { return runs_.path("run"); }
  fs::path keys() const { return fs::path(runs_.path("config")) / "surety"; }
  std::string text_of(const std::string& name) const {
    return posix::read_file(run() / name).value();
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(posix::write_file_atomically(run() / name, text));
  }

  // Writes the journal anew as a careful forger does: with right lengths and checksums.
  void forge_journal(const std::function<void(Records&)>& change) const {
    Records records = runs_.journal("run");
    change(records);
    write_journal(run(), records);
  }

  Runs runs_;
  std::string key_;
};

TEST_F(SignedRun, WithAKeyARunIsSignedAndItsOwnersKeyVerifiesIt) {
  make_key();
  train();
  const Finished trusted = verify(key_);
  EXPECT_EQ(trusted.code, kKept) << trusted.output;
  EXPECT_THAT(trusted.output,
              AllOf(HasSubstr("ok    the journal is signed: "), HasSubstr("by " + key_),
                    HasSubstr("ok    the run's files are signed: ")));
  const Finished unknown = verify();
  EXPECT_EQ(unknown.code, kKept) << unknown.output;
  EXPECT_THAT(unknown.output, AllOf(HasSubstr("--    the journal is signed: "),
                                    HasSubstr("pass the owner's with --key")));
}

TEST_F(SignedRun, WithoutAKeyVerifySaysThatEverythingMayHaveBeenChanged) {
  train();
  const Finished verified = verify();
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("may have changed everything"));
  make_key();
  const Finished late = verify(key_);  // A key that was made later has signed nothing.
  EXPECT_EQ(late.code, kFailed) << late.output;
  EXPECT_THAT(late.output, HasSubstr("the run began without a key"));
}

TEST_F(SignedRun, AnotherKeyDoesNotVerifyIt) {
  make_key();
  train();
  const crypto::Key seed{};
  const record::Signer stranger{"acme", crypto::SigningKey(seed)};
  const Finished verified = verify(stranger.verifier().text());
  EXPECT_EQ(verified.code, kFailed) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("the run began with the key " + key_));
}

// Each change is made by a user who can write to the folder, but does not have the key.
TEST_F(SignedRun, WhatIsChangedAfterwardsIsFound) {
  make_key();
  train();
  const std::string kept = runs_.path("kept");
  fs::copy(run(), kept, fs::copy_options::recursive);
  const auto is_found = [&](const char* what, const std::function<void()>& change) {
    fs::remove_all(run());
    fs::copy(kept, run(), fs::copy_options::recursive);
    change();
    const Finished verified = verify(key_);
    EXPECT_EQ(verified.code, kFailed) << what << "\n" << verified.output;
  };
  is_found("a price of nothing", [&] {
    forge_journal([](Records& records) {
      for (proto::JournalRecord& record : records) record.set_run_s(0);
    });
  });
  is_found("a record less",
           [&] { forge_journal([](Records& records) { records.erase(records.begin() + 2); }); });
  is_found("a record twice", [&] {
    forge_journal([](Records& records) { records.insert(records.begin() + 2, records[2]); });
  });
  is_found("another certificate", [&] { write("certificate.json", "{}"); });
  is_found("another model", [&] {
    std::string model = text_of("model.safetensors");
    model.back() = static_cast<char>(model.back() ^ 1);
    write("model.safetensors", model);
  });
  is_found("a file that was not there", [&] {
    write("model.liblinear.txt", "");
    fs::remove(run() / "report.html");
    fs::create_directory(run() / "report.html");
  });
  is_found("another report", [&] { write("report.html", "<p>Promise kept</p>"); });
  is_found("no signature", [&] { fs::remove(run() / "journal.signed"); });
  is_found("no list of files", [&] { fs::remove(run() / "results.signed"); });
  is_found("an earlier signature", [&] { write("journal.signed", text_of("results.signed")); });
  is_found("a signature by somebody else", [&] {
    record::Note note = record::parse_note(text_of("journal.signed")).value();
    note.signatures.clear();
    record::sign(note, {"acme", crypto::SigningKey::random()});
    write("journal.signed", record::to_text(note));
  });
}

// The forger lets Surety itself write all files anew. The model does not have the result.
TEST_F(SignedRun, AForgedResultIsFoundAlsoWithoutAKeyBecauseItIsMeasuredAgain) {
  train();
  EXPECT_THAT(verify().output, HasSubstr("ok    the certified metric is measured again: found"));
  forge_journal([](Records& records) {
    for (proto::JournalRecord& record : records) {
      if (record.has_certified()) record.mutable_certified()->set_metric(0.001);
      if (!record.has_measured_again()) continue;
      record.mutable_measured_again()->mutable_values()->set_metric(0.001);
    }
  });
  const Finished written = runs_.surety({"train", "--resume", "--out", run().string()});
  EXPECT_THAT(text_of("certificate.json"), HasSubstr("0.001")) << written.output;
  const Finished verified = verify();
  EXPECT_EQ(verified.code, kFailed) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("FAIL  the certified metric is measured again: found"));
  // Without the data, the result is not measured again, and verify reports this.
  fs::remove_all(run() / "checkpoints");
  EXPECT_THAT(verify().output, HasSubstr("not measured again: "));
}

TEST_F(SignedRun, EachDamagedFileOfTheCertifiedCheckpointIsFoundAlsoWithoutAKey) {
  train();
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(run() / "checkpoints")) {
    if (!entry.is_regular_file()) continue;
    const std::string whole = posix::read_file(entry.path()).value();
    std::string damaged = whole;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(entry.path(), std::ios::binary) << damaged;
    const Finished verified = verify();
    // Other checkpoints may be damaged.
    const std::string failure = "FAIL  the certified checkpoint is unchanged: ";
    const bool is_certified = verified.output.find(failure) != std::string::npos;
    EXPECT_EQ(verified.code, is_certified ? kFailed : kKept) << entry.path() << verified.output;
    // The metric is not measured from a checkpoint that was changed.
    const bool is_measured = verified.output.find("not measured again") == std::string::npos;
    EXPECT_EQ(is_measured, !is_certified) << entry.path() << verified.output;
    files += is_certified;
    std::ofstream(entry.path(), std::ios::binary) << whole;
  }
  EXPECT_GT(files, 1);  // The model and the states of chunks.
}

TEST_F(SignedRun, AChangedJournalIsNotContinued) {
  make_key();
  posix::Process process = runs_.start(runs_.training(kEndless), "log");
  ASSERT_TRUE(runs_.wait_for_passes(3, &process));
  process.send_signal(SIGINT);
  ASSERT_TRUE(process.wait(posix::kTestPatience));
  const std::string kept = text_of("journal.log");
  forge_journal([](Records& records) {
    for (proto::JournalRecord& record : records) {
      if (record.has_pass_done()) record.mutable_pass_done()->set_samples(1);
    }
  });
  const auto resume = [&] { return runs_.surety({"train", "--resume", "--out", run().string()}); };
  EXPECT_THAT(resume().output, HasSubstr("is not the one that was signed"));
  forge_journal([](Records& records) { records.resize(2); });
  EXPECT_THAT(resume().output, HasSubstr("were signed, and the journal has 2"));
  const std::string signed_head = text_of("journal.signed");
  fs::remove(run() / "journal.signed");
  EXPECT_THAT(resume().output, HasSubstr("the signature of the journal is missing"));
  write("journal.signed", signed_head);
  // A record that somebody appends without the key is removed, and so never signed.
  proto::JournalRecord forged;
  forged.set_run_s(runs_.journal("run").back().run_s());
  forged.mutable_run_ended()->set_reason("forged");
  forged.mutable_run_ended()->set_verdict("kept");
  const std::vector<std::byte> bytes = orchestrator::encode_record(forged);
  write("journal.log",
        kept + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  posix::Process next = runs_.start({"train", "--resume", "--out", run().string()}, "next");
  const std::size_t passed = passes(runs_.journal("run"));
  EXPECT_TRUE(runs_.wait_for(
      "another pass", [&](const Records& journal) { return passes(journal) > passed; }, &next));
  next.send_signal(SIGINT);
  EXPECT_TRUE(next.wait(posix::kTestPatience));
  EXPECT_THAT(runs_.output("next"), HasSubstr("1 record after the last signature is removed"));
  EXPECT_FALSE(has_ended(runs_.journal("run")));
  // The records of the second coordinator are signed, too.
  const Finished proof = runs_.surety(
      {"prove", run().string(), "--record", std::to_string(runs_.journal("run").size())});
  EXPECT_EQ(proof.code, kKept) << proof.output;
}

// A file that the owner keeps after the end is not signed again, if somebody has exchanged it.
TEST_F(SignedRun, AnExchangedModelIsNotSignedWhenTheFilesAreWrittenAgain) {
  make_key();
  train();
  std::string model = text_of("model.safetensors");
  model.back() = static_cast<char>(model.back() ^ 1);
  write("model.safetensors", model);
  fs::remove_all(run() / "checkpoints");
  fs::remove(run() / "results.signed");
  static_cast<void>(runs_.surety({"train", "--resume", "--out", run().string()}));
  const Finished verified = verify(key_);
  EXPECT_EQ(verified.code, kFailed) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("model.safetensors was not signed"));
}

TEST_F(SignedRun, AProofShowsOneFactToAStrangerWithoutTheRun) {
  make_key();
  train();
  const std::string proof = runs_.path("pass.tlog-proof");
  const Finished proved = runs_.surety({"prove", run().string(), "--pass", "2", "--out", proof});
  ASSERT_EQ(proved.code, kKept) << proved.output;
  fs::remove_all(run());
  const Finished good = runs_.surety({"verify", "--proof", proof, "--key", key_});
  EXPECT_EQ(good.code, kKept) << good.output;
  EXPECT_THAT(good.output, AllOf(HasSubstr("signed by " + key_), HasSubstr("passDone"),
                                 HasSubstr("\"pass\": 2")));
  const std::string text = posix::read_file(proof).value();
  std::string changed = text;
  const std::size_t extra = changed.find("extra ") + 10;
  changed[extra] = changed[extra] == 'A' ? 'B' : 'A';
  ASSERT_TRUE(posix::write_file_atomically(proof, changed));
  const Finished bad = runs_.surety({"verify", "--proof", proof, "--key", key_});
  EXPECT_EQ(bad.code, kFailed) << bad.output;
  ASSERT_TRUE(posix::write_file_atomically(proof, text));
  const record::Signer stranger{"acme", crypto::SigningKey::random()};
  EXPECT_EQ(runs_.surety({"verify", "--proof", proof, "--key", stranger.verifier().text()}).code,
            kFailed);
  const Finished without = runs_.surety({"verify", "--proof", proof});
  EXPECT_EQ(without.code, kUsage);
  EXPECT_THAT(without.output, HasSubstr("expected --key"));
}

TEST_F(SignedRun, TheProofOfAVerdictShowsWhatWasPromisedAndReached) {
  make_key();
  train();
  const std::string proof = runs_.path("verdict.tlog-proof");
  ASSERT_EQ(runs_.surety({"prove", run().string(), "--verdict", "--out", proof}).code, kKept);
  const Finished shown = runs_.surety({"verify", "--proof", proof, "--key", key_});
  EXPECT_EQ(shown.code, kKept) << shown.output;
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("promised: "), HasSubstr("reached: "), HasSubstr("; verdict: ")));
  EXPECT_THAT(shown.output, AllOf(HasSubstr("\"target\": "), HasSubstr("\"deadlineS\": "),
                                  HasSubstr("\"samples\": "), HasSubstr("\"modelChecksum\": ")));
}

TEST_F(SignedRun, AnUnsignedRunHasNoProofAndTheErrorSaysWhatToDo) {
  train();
  const Finished proved = runs_.surety({"prove", run().string(), "--verdict"});
  EXPECT_EQ(proved.code, kUsage);
  EXPECT_THAT(proved.output, HasSubstr("surety keys init"));
}

TEST_F(SignedRun, AKeyIsMadeOnceAndIsForItsOwnerOnly) {
  make_key();
  const Finished again = runs_.surety({"keys", "init"});
  EXPECT_EQ(again.code, kUsage);
  EXPECT_THAT(again.output, HasSubstr("already exists"));
  EXPECT_THAT(runs_.surety({"keys", "show"}).output, HasSubstr(key_));
  const fs::path secret = keys() / "signing.key";
  EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(secret.parent_path()).permissions(), fs::perms::owner_all);
  fs::permissions(secret, fs::perms::group_read, fs::perm_options::add);
  const Finished open = runs_.surety(runs_.training(3));
  EXPECT_EQ(open.code, kUsage);
  EXPECT_THAT(open.output, AllOf(HasSubstr("only you may read"), HasSubstr("signing.key")));
  const Finished bad = runs_.surety({"keys", "init", "--name", "a b"});
  EXPECT_EQ(bad.code, kUsage);
}

}  // namespace signed_posix_test
}  // namespace surety::cli
