#include "runtime/run_signer.h"

#include <array>
#include <span>
#include <system_error>

#include "base/posix/file.h"
#include "orchestrator/history/run_folder.h"

namespace surety::runtime {
namespace {

namespace fs = std::filesystem;
namespace run_folder = orchestrator::run_folder;

// The other files are made from the journal, or are of use only while the run is on.
constexpr std::array kResults{run_folder::kCertificate, run_folder::kModel,
                              run_folder::kLiblinearModel, run_folder::kReport};

Result<std::optional<record::Note>> read_note(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return std::nullopt;
  SURETY_TRY(const std::string text, posix::read_file(file));
  Result<record::Note> note = record::parse_note(text);
  if (!note) return fail_in(note.error(), "{}", file.string());
  return std::move(*note);
}

template <typename Content>
Result<std::optional<SignedFile<Content>>> read_signed(const fs::path& file,
                                                       Result<Content> (*parse)(std::string_view)) {
  SURETY_TRY(std::optional<record::Note> note, read_note(file));
  if (!note) return std::nullopt;
  Result<Content> content = parse(note->text);
  if (!content) return fail_in(content.error(), "{}", file.string());
  return SignedFile<Content>{std::move(*note), std::move(*content)};
}

std::string signed_text(std::string text, const record::Signer& signer) {
  record::Note note{.text = std::move(text), .signatures = {}};
  record::sign(note, signer);
  return record::to_text(note);
}

}  // namespace

Result<void> RunSigner::sign(const record::TreeHead& head) {
  if (head == signed_ || head.size == 0) return {};
  SURETY_TRY(posix::replace_file(
      folder_ / run_folder::kSignedHead,
      signed_text(record::to_text(record::Checkpoint{origin_, head}), signer_)));
  signed_ = head;
  return {};
}

Result<void> RunSigner::sign_results(const record::TreeHead& head) {
  record::Results results{.origin = origin_, .head = head, .files = {}};
  for (const std::string_view name : kResults) {
    std::error_code error;
    if (!fs::exists(folder_ / name, error)) continue;  // A refused run has no model.
    SURETY_TRY(const std::string bytes, posix::read_file(folder_ / name));
    results.files.emplace(name, crypto::sha256(std::as_bytes(std::span(bytes))));
  }
  return posix::write_file_atomically(folder_ / run_folder::kSignedResults,
                                      signed_text(record::to_text(results), signer_));
}

Result<std::optional<SignedFile<record::Checkpoint>>> read_signed_head(const fs::path& run) {
  return read_signed<record::Checkpoint>(run / run_folder::kSignedHead, record::parse_checkpoint);
}

Result<std::optional<SignedFile<record::Results>>> read_signed_results(const fs::path& run) {
  return read_signed<record::Results>(run / run_folder::kSignedResults, record::parse_results);
}

Result<void> check_signed_before(const fs::path& run, const record::Digests& leaves) {
  SURETY_TRY(const auto head, read_signed_head(run));
  if (!head) return {};
  const record::TreeHead& then = head->content.head;
  if (then.size > leaves.size()) {
    return fail(ErrorCode::kCorrupt,
                "{}: found {} records in the journal, but {} were signed: restore the journal from "
                "a copy",
                run.string(), leaves.size(), then.size);
  }
  record::MerkleTree tree;
  for (std::uint64_t i = 0; i < then.size; ++i) tree.append(leaves[i]);
  if (tree.root() == then.root) return {};
  return fail(ErrorCode::kCorrupt,
              "{}: one of the first {} records of the journal is not the one that was signed: "
              "restore the journal from a copy",
              run.string(), then.size);
}

}  // namespace surety::runtime
