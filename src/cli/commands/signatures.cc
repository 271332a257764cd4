#include "cli/commands/signatures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>

#include "base/posix/file.h"
#include "base/text.h"
#include "base/words.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/run_signer.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
namespace run_folder = orchestrator::run_folder;

constexpr std::size_t kShownMax = 200;

record::TreeHead head_of(const record::Digests& leaves) {
  record::MerkleTree tree;
  for (const crypto::Digest& leaf : leaves) tree.append(leaf);
  return {tree.size(), tree.root()};
}

// What is wrong with what was signed; absent if nothing is.
template <typename Content>
std::optional<std::string> fault_of(const runtime::SignedFile<Content>& file, const ReadRun& run,
                                    const record::Verifier& verifier) {
  if (!record::is_signed_by(file.note, verifier)) {
    return fmt::format("it has no valid signature of {}", verifier.text());
  }
  if (const std::string origin = orchestrator::record_origin(run.state);
      file.content.origin != origin) {
    return fmt::format("it is of {}, expected {}", plain_text(file.content.origin, kShownMax),
                       origin);
  }
  const record::TreeHead here = head_of(run.leaves);
  if (file.content.head.size != here.size) {
    return fmt::format("{} were signed, and the journal has {}",
                       counted(file.content.head.size, "record"), here.size);
  }
  if (file.content.head.root != here.root) return "a record is not the one that was signed";
  return std::nullopt;
}

std::string by_words(const record::Verifier& verifier, bool is_trusted) {
  return fmt::format("by {}{}", verifier.text(),
                     is_trusted ? ""
                                : "; whether this is the right key was not checked: pass the "
                                  "owner's with --key");
}

Check check_journal(const fs::path& folder, const ReadRun& run, const record::Verifier& verifier,
                    bool is_trusted) {
  Check check{"the journal is signed", false, ""};
  const auto file = runtime::read_signed_head(folder);
  if (!file) return check.found = file.error().message, check;
  if (!*file) {
    check.found = fmt::format("{} is missing", run_folder::kSignedHead);
    return check;
  }
  if (const auto fault = fault_of(**file, run, verifier)) {
    check.found = fmt::format("{}: {}", run_folder::kSignedHead, *fault);
    return check;
  }
  if (is_trusted) check.passed = true;
  if (!is_trusted) check.passed.reset();
  check.found =
      fmt::format("{}, {}", counted(run.leaves.size(), "record"), by_words(verifier, is_trusted));
  return check;
}

Check check_results(const fs::path& folder, const ReadRun& run, const record::Verifier& verifier,
                    bool is_trusted) {
  Check check{"the run's files are signed", false, ""};
  const auto file = runtime::read_signed_results(folder);
  if (!file) return check.found = file.error().message, check;
  if (!*file) {
    check.found = fmt::format("{} is missing", run_folder::kSignedResults);
    return check;
  }
  if (const auto fault = fault_of(**file, run, verifier)) {
    check.found = fmt::format("{}: {}", run_folder::kSignedResults, *fault);
    return check;
  }
  std::vector<std::string> same;
  std::vector<std::string> absent;
  for (const auto& [name, digest] : (*file)->content.files) {
    const auto bytes = posix::read_file(folder / name);
    if (!bytes) {
      absent.push_back(name);
    } else if (crypto::sha256(std::as_bytes(std::span(*bytes))) == digest) {
      same.push_back(name);
    } else {
      check.found = fmt::format("{} is not the file that was signed", plain_text(name, kShownMax));
      return check;
    }
  }
  check.passed.reset();
  if (is_trusted && absent.empty()) check.passed = true;
  check.found = fmt::format("{}, {}", fmt::join(same, " and "), by_words(verifier, is_trusted));
  if (!absent.empty()) {
    check.found += fmt::format("; missing, so not compared: {}", fmt::join(absent, " and "));
  }
  return check;
}

}  // namespace

void check_signatures(const fs::path& folder, const ReadRun& run,
                      const std::optional<record::Verifier>& key, std::vector<Check>& checks) {
  const std::optional<record::Verifier>& verifier = key ? key : run.state.beginning.signer;
  if (!verifier) {
    checks.push_back({"the journal is signed", std::nullopt,
                      "no key was there when the run began, so whoever can write to this folder "
                      "may have changed everything in it"});
    return;
  }
  checks.push_back(check_journal(folder, run, *verifier, key.has_value()));
  checks.push_back(check_results(folder, run, *verifier, key.has_value()));
}

}  // namespace surety::cli
