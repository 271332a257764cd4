#include "cli/commands/signatures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <system_error>

#include "base/posix/file.h"
#include "base/posix/utc.h"
#include "base/text.h"
#include "base/words.h"
#include "orchestrator/history/continuation.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "record/witness.h"
#include "runtime/files/journal_file.h"
#include "runtime/files/signed_results.h"
#include "runtime/witness/cosign.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
namespace run_folder = orchestrator::run_folder;

constexpr std::size_t kOriginShownMax = 200;

// The expected key, and the expected content of the signed notes.
struct Expected {
  record::Verifier verifier;
  bool is_trusted = false;  // The user says that this is the right key.
  std::string origin;
  record::TreeHead head;  // The head of the journal that is here.
};

// The fault of a signed digest; absent if there is none.
std::optional<std::string> fault_of(const record::Note& note, const std::string& origin,
                                    const record::TreeHead& head, const Expected& expected) {
  if (!record::is_signed_by(note, expected.verifier)) {
    return fmt::format("it has no valid signature of {}", expected.verifier.text());
  }
  if (origin != expected.origin) {
    return fmt::format("it belongs to the run {}, expected {}", plain_text(origin, kOriginShownMax),
                       expected.origin);
  }
  if (head.size != expected.head.size) {
    return fmt::format("{} were signed, and the journal has {}", counted(head.size, "record"),
                       expected.head.size);
  }
  if (head.root != expected.head.root) return "a record is not the one that was signed";
  return std::nullopt;
}

Check passed(std::string what, const std::string& found, const Expected& expected) {
  const char* const unknown =
      "; whether this is the right key was not checked: pass the owner's with --key";
  return {std::move(what), expected.is_trusted ? std::optional(true) : std::nullopt,
          fmt::format("{}, by {}{}", found, expected.verifier.text(),
                      expected.is_trusted ? "" : unknown)};
}

Check check_journal(const fs::path& folder, const Expected& expected) {
  Check check{"the journal is signed", false, ""};
  const auto note = runtime::read_signed_head(folder / run_folder::kJournal);
  if (!note) return check.found = note.error().message, check;
  if (!*note) return check.found = "its signature is missing", check;
  const auto checkpoint = record::parse_checkpoint((*note)->text);
  if (!checkpoint) return check.found = checkpoint.error().message, check;
  if (const auto fault = fault_of(**note, checkpoint->origin, checkpoint->head, expected)) {
    // If a run was resumed without its key, only the beginning of its journal is signed.
    const bool is_begin = !expected.is_trusted && checkpoint->head.size < expected.head.size;
    if (is_begin && record::is_signed_by(**note, expected.verifier)) check.passed.reset();
    return check.found = *fault, check;
  }
  return passed(check.what, counted(expected.head.size, "record"), expected);
}

Check check_results(const fs::path& folder, const Expected& expected) {
  Check check{"the run's files are signed", false, ""};
  const auto file = runtime::read_signed_results(folder);
  if (!file) return check.found = file.error().message, check;
  if (!*file) {
    if (!expected.is_trusted) check.passed.reset();
    return check.found = fmt::format("{} is missing", run_folder::kSignedResults), check;
  }
  const record::Results& results = (*file)->results;
  if (const auto fault = fault_of((*file)->note, results.origin, results.head, expected)) {
    return check.found = *fault, check;
  }
  std::vector<std::string> same;
  std::vector<std::string> absent;
  for (const std::string_view name : run_folder::kResults) {
    const auto listed = results.files.find(std::string(name));
    std::error_code error;
    const bool is_here = fs::exists(fs::symlink_status(folder / name, error));
    if (!is_here) {
      if (listed != results.files.end()) absent.emplace_back(name);
      continue;
    }
    if (listed == results.files.end()) {
      return check.found = fmt::format("{} was not signed", name), check;
    }
    const auto bytes = posix::read_file(folder / name);
    if (!bytes) return check.found = bytes.error().message, check;
    if (crypto::sha256(std::as_bytes(std::span(*bytes))) != listed->second) {
      return check.found = fmt::format("{} is not the file that was signed", name), check;
    }
    same.emplace_back(name);
  }
  check = passed(check.what, fmt::format("{}", fmt::join(same, " and ")), expected);
  if (absent.empty()) return check;
  check.passed.reset();
  check.found += fmt::format("; missing, so not compared: {}", fmt::join(absent, " and "));
  return check;
}

// The fault of a checkpoint that a witness has signed; absent if the journal begins with it.
std::optional<std::string> fault_of_checkpoint(const record::Note& note,
                                               const record::Checkpoint& checkpoint,
                                               const record::Digests& leaves,
                                               const Expected& expected) {
  const record::TreeHead& head = checkpoint.head;
  if (head.size > leaves.size()) {
    return fmt::format("the witness has seen {}, and the journal has {}",
                       counted(head.size, "record"), leaves.size());
  }
  Expected then = expected;
  then.head = {head.size, record::root_of(std::span(leaves).first(head.size))};
  const auto fault = fault_of(note, checkpoint.origin, head, then);
  const bool is_other = checkpoint.origin == expected.origin && head.root != then.head.root;
  return is_other ? "the witness has seen other records" : fault;
}

struct SeenCheckpoint {
  record::Note note;
  record::Checkpoint checkpoint;
  std::uint64_t seen_unix_s = 0;
};

// The largest checkpoint in the folder that this witness has signed; absent if there is none.
Result<std::optional<SeenCheckpoint>> seen_by(const record::Verifier& witness,
                                              const fs::path& folder) {
  SURETY_TRY(std::vector<record::Note> notes, runtime::read_cosigned(folder));
  std::optional<SeenCheckpoint> largest;
  for (record::Note& note : notes) {
    auto checkpoint = record::parse_checkpoint(note.text);
    if (!checkpoint) continue;
    if (largest && checkpoint->head.size <= largest->checkpoint.head.size) continue;
    if (const auto seen_unix_s = record::cosigned_at(note, witness)) {
      largest = SeenCheckpoint{std::move(note), *std::move(checkpoint), *seen_unix_s};
    }
  }
  return largest;
}

// REQUIRES: the run has ended, so its whole journal must have been seen.
Check check_witness(const fs::path& folder, const record::Verifier& witness,
                    const record::Digests& leaves, const Expected& expected) {
  Check check{"a witness has seen the journal", false, ""};
  const auto seen = seen_by(witness, folder);
  if (!seen) return check.found = seen.error().message, check;
  if (!*seen) {
    check.found = fmt::format("nothing here is signed by {}", witness.text());
    return check;
  }
  const auto& [note, checkpoint, seen_unix_s] = **seen;
  if (const auto fault = fault_of_checkpoint(note, checkpoint, leaves, expected)) {
    return check.found = *fault, check;
  }
  const std::uint64_t size = checkpoint.head.size;
  const auto seen_s = static_cast<double>(seen_unix_s);
  check.passed = size == leaves.size();
  check.found =
      fmt::format("{}{} of {} at {}, by {}", *check.passed ? "" : "only the first ",
                  counted(size, "record"), expected.origin, posix::utc(seen_s), witness.text());
  if (*check.passed) return check;
  check.found += fmt::format(
      "; the journal has {}, and its owner may have changed the others. The "
      "owner can have them signed with  surety cosign",
      leaves.size());
  return check;
}

}  // namespace

void check_signatures(const fs::path& folder, const ReadRun& run, const RequiredKeys& keys,
                      std::vector<Check>& checks) {
  const std::optional<record::Verifier>& key = keys.owner;
  const std::optional<record::Verifier>& began = run.state.beginning.signer;
  if (!began && !keys.witnesses.empty()) {
    checks.push_back({"a witness has seen the journal", false, "the journal is not signed"});
  }
  if (!began && !key) {
    checks.push_back(
        {"the journal is signed", std::nullopt,
         "it is not signed: there was no key when the run began, so any user who can write to this "
         "folder may have changed everything in it"});
    return;
  }
  if (key && began != key) {
    checks.push_back(
        {"the journal is signed", false,
         fmt::format("the run began {}, expected {}",
                     began ? "with the key " + began->text() : "without a key", key->text())});
    return;
  }
  const Expected expected{.verifier = *began,
                          .is_trusted = key.has_value(),
                          .origin = orchestrator::record_origin(run.state.record.run,
                                                                run.state.beginning.started_unix_s),
                          .head = {run.leaves.size(), record::root_of(run.leaves)}};
  checks.push_back(check_journal(folder, expected));
  checks.push_back(check_results(folder, expected));
  for (const record::Verifier& witness : keys.witnesses) {
    checks.push_back(check_witness(folder, witness, run.leaves, expected));
  }
}

}  // namespace surety::cli
