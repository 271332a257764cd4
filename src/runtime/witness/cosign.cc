#include "runtime/witness/cosign.h"

#include <httplib.h>

#include <algorithm>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/http_url.h"
#include "base/posix/file.h"
#include "base/text.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "record/lines.h"
#include "record/witness.h"
#include "runtime/journal_file.h"

namespace surety::runtime {
namespace {

namespace run_folder = orchestrator::run_folder;

constexpr time_t kTimeoutS = 5;
constexpr std::size_t kAnswerBytesMax = 64u << 10;
constexpr std::size_t kShownMax = 200;

struct Reply {
  int code = 0;
  std::string text;
};

Result<Reply> post(const std::string& url, const record::Submission& submission) {
  const HttpUrl at = split_http_url(url);
  httplib::Client client(at.server);
  client.set_connection_timeout(kTimeoutS);
  client.set_read_timeout(kTimeoutS);
  client.set_write_timeout(kTimeoutS);
  Reply reply;
  httplib::Request request;
  request.method = "POST";
  request.path = at.path + "/add-checkpoint";
  request.set_header("Content-Type", "text/plain");
  request.body = record::to_text(submission);
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    if (reply.text.size() + size > kAnswerBytesMax) return false;
    reply.text.append(data, size);
    return true;
  };
  const httplib::Result sent = client.send(request);
  if (!sent) {
    return fail(ErrorCode::kUnavailable, "the witness {} did not answer: {}", url,
                httplib::to_string(sent.error()));
  }
  reply.code = sent->status;
  return reply;
}

// The signed checkpoint of the journal, and the digests of its records.
struct SignedJournal {
  record::Note note;
  record::Checkpoint checkpoint;
  record::Digests leaves;  // Only those that are signed.
};

Result<SignedJournal> read_signed_journal(const std::filesystem::path& run) {
  const std::filesystem::path journal = run / run_folder::kJournal;
  // The signature is read first, because a living coordinator appends to the journal.
  SURETY_TRY(std::optional<record::Note> note, read_signed_head(journal));
  if (!note) {
    return fail(ErrorCode::kInvalidInput,
                "{}: the run is not signed: make a key with  surety keys init  before it begins",
                run.string());
  }
  SURETY_TRY(record::Checkpoint checkpoint, record::parse_checkpoint(note->text));
  SURETY_TRY(orchestrator::JournalContents contents, read_journal_contents(journal));
  const std::uint64_t size = checkpoint.head.size;
  if (size > contents.leaves.size() ||
      record::root_of(std::span(contents.leaves).first(size)) != checkpoint.head.root) {
    return fail(ErrorCode::kCorrupt, "{}: the journal is not the one that was signed",
                run.string());
  }
  contents.leaves.resize(size);
  return SignedJournal{*std::move(note), std::move(checkpoint), std::move(contents.leaves)};
}

// The first signature in the answer that may be one of a witness.
Result<record::NoteSignature> cosignature_in(const std::string& url, const record::Note& note,
                                             const std::string& answer) {
  const Result<record::Note> cosigned =
      record::parse_note(record::to_text(record::Note{note.text, {}}) + answer);
  if (!cosigned || cosigned->signatures.empty()) {
    return fail(ErrorCode::kCorrupt, "the witness {} answered \"{}\", expected a signature", url,
                plain_text(answer, kShownMax));
  }
  return cosigned->signatures.front();
}

tl::unexpected<Error> refused(const std::string& url, const SignedJournal& journal,
                              std::uint64_t seen, const Reply& reply) {
  const std::uint64_t size = journal.checkpoint.head.size;
  if (reply.code == 409 && seen > size) {
    return fail(ErrorCode::kCorrupt,
                "the witness {} has seen {} records of this run, but only {} are signed here: the "
                "journal was cut, or it is an older copy",
                url, seen, size);
  }
  if (reply.code == 422 || reply.code == 409) {
    return fail(ErrorCode::kCorrupt,
                "the witness {} has seen another history of this run: its first {} records are not "
                "the first records here",
                url, seen);
  }
  if (reply.code == 403) {
    return fail(ErrorCode::kInvalidInput,
                "the witness {} does not know the key that signs this run: give its owner the "
                "output of  surety keys show",
                url);
  }
  return fail(ErrorCode::kUnavailable, "the witness {} answered {}: {}", url, reply.code,
              plain_text(reply.text, kShownMax));
}

}  // namespace

Result<Cosigned> cosign(const std::filesystem::path& run, const std::string& url) {
  SURETY_TRY(SignedJournal journal, read_signed_journal(run));
  record::Submission submission{
      .old_size = 0, .proof = {}, .signed_checkpoint = record::to_text(journal.note)};
  SURETY_TRY(Reply reply, post(url, submission));
  std::uint64_t seen = 0;
  // The witness names the size that it has seen, and the proof begins there.
  if (reply.code == 409) {
    std::string_view text = reply.text;
    const auto size = record::number_in(record::take_line(text).value_or(""));
    if (!size || *size == 0) return refused(url, journal, 0, reply);
    seen = *size;
    if (seen > journal.checkpoint.head.size) return refused(url, journal, seen, reply);
    submission.old_size = seen;
    submission.proof = record::prove_growth(journal.leaves, seen);
    SURETY_TRY(reply, post(url, submission));
  }
  if (reply.code != 200) return refused(url, journal, seen, reply);
  SURETY_TRY(record::NoteSignature cosignature, cosignature_in(url, journal.note, reply.text));
  Cosigned cosigned{cosignature.name, journal.checkpoint.head.size};
  const std::filesystem::path file = run / run_folder::witnessed_file(cosignature.hash);
  journal.note.signatures.push_back(std::move(cosignature));
  SURETY_TRY(posix::write_file_atomically(file, record::to_text(journal.note)));
  return cosigned;
}

Result<std::vector<record::Note>> read_cosigned(const std::filesystem::path& run) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(run_folder::kWitnessed) && name.ends_with(".signed")) {
      files.push_back(entry.path());
    }
  }
  if (error) return fail(ErrorCode::kInvalidInput, "{}: {}", run.string(), error.message());
  std::ranges::sort(files);
  std::vector<record::Note> notes;
  for (const std::filesystem::path& file : files) {
    SURETY_TRY(std::optional<record::Note> note, read_note(file));
    if (note) notes.push_back(*std::move(note));
  }
  return notes;
}

}  // namespace surety::runtime
