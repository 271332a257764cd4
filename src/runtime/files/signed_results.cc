#include "runtime/files/signed_results.h"

#include "base/posix/file.h"
#include "orchestrator/history/run_folder.h"

namespace surety::runtime {

namespace run_folder = orchestrator::run_folder;

Result<void> sign_results(const std::filesystem::path& run, const JournalKey& key,
                          const record::TreeHead& head, const FileDigests& files) {
  if (const auto before = read_signed_results(run); before && *before) {
    const record::Results& results = (*before)->results;
    if (results.origin == key.origin && results.head == head &&
        record::is_signed_by((*before)->note, key.signer.verifier())) {
      return {};
    }
  }
  record::Note note{
      .text = record::to_text(record::Results{.origin = key.origin, .head = head, .files = files}),
      .signatures = {}};
  record::sign(note, key.signer);
  return posix::write_file_atomically(run / run_folder::kSignedResults, record::to_text(note));
}

Result<std::optional<SignedResults>> read_signed_results(const std::filesystem::path& run) {
  const std::filesystem::path file = run / run_folder::kSignedResults;
  SURETY_TRY(std::optional<record::Note> note, read_note(file));
  if (!note) return std::nullopt;
  Result<record::Results> results = record::parse_results(note->text);
  if (!results) return fail_in(results.error(), "{}", file.string());
  return SignedResults{std::move(*note), std::move(*results)};
}

}  // namespace surety::runtime
