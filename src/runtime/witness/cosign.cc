#include "runtime/witness/cosign.h"

#include <fmt/ranges.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "base/http_url.h"
#include "base/posix/file.h"
#include "base/posix/start_threads.h"
#include "base/text.h"
#include "base/words.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "record/lines.h"
#include "record/witness.h"
#include "runtime/files/journal_file.h"

namespace surety::runtime {
namespace {

namespace run_folder = orchestrator::run_folder;

constexpr time_t kTimeoutS = 8;              // Limit for each part of the call.
constexpr std::chrono::seconds kAnswer{10};  // Limit for a whole answer.
constexpr int kTries = 3;  // Another call for the same run may be answered in between.
constexpr std::size_t kCosignatureBytes = 8 + 64;  // A time and a signature by Ed25519.
constexpr std::size_t kAnswerBytesMax = 64u << 10;
constexpr std::size_t kShownMax = 200;

struct Reply {
  int code = 0;
  std::string text;
};

// Ends the connection of a witness that takes too long for its whole answer: it may send one byte
// after the other.
class TimeLimit {
 public:
  explicit TimeLimit(httplib::Client& client) : client_(client), thread_([this] { wait(); }) {}
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      is_answered_ = true;
    }
    answered_.notify_all();
    thread_.join();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    if (!answered_.wait_for(lock, kAnswer, [&] { return is_answered_; })) client_.stop();
  }

  httplib::Client& client_;
  std::mutex mutex_;
  std::condition_variable answered_;
  bool is_answered_ = false;  // Guarded by mutex_.
  std::thread thread_;
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
    reply.text.append(data, size);
    return reply.text.size() <= kAnswerBytesMax;
  };
  std::optional<TimeLimit> limit;
  SURETY_TRY(posix::start_threads(fmt::format("to ask the witness {}", url),
                                  [&] { limit.emplace(client); }));
  const httplib::Result sent = client.send(request);
  limit.reset();
  if (!sent) {
    const bool is_away = sent.error() == httplib::Error::Connection;
    return fail(ErrorCode::kUnavailable, "the witness {} did not answer: {}", url,
                is_away ? "nothing listens there" : httplib::to_string(sent.error()));
  }
  reply.code = sent->status;
  return reply;
}

// The signed checkpoint of the journal, and the digests of its records.
struct SignedJournal {
  record::Note note;
  record::Checkpoint checkpoint;
  record::Digests leaves;  // It contains only those that are signed.
};

Result<SignedJournal> read_signed_journal(const std::filesystem::path& run) {
  const std::filesystem::path journal = run / run_folder::kJournal;
  std::error_code error;
  if (!std::filesystem::exists(journal, error)) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run here", run.string());
  }
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

// The signatures in the answer that have the form of a witness's.
Result<std::vector<record::NoteSignature>> cosignatures_in(const std::string& url,
                                                           const record::Note& note,
                                                           const std::string& answer) {
  Result<record::Note> cosigned =
      record::parse_note(record::to_text(record::Note{note.text, {}}) + answer);
  if (cosigned) {
    std::erase_if(cosigned->signatures, [](const record::NoteSignature& signature) {
      return signature.bytes.size() != kCosignatureBytes;
    });
  }
  if (!cosigned || cosigned->signatures.empty()) {
    return fail(ErrorCode::kCorrupt, "the witness {} answered \"{}\", expected a signature", url,
                plain_text(answer, kShownMax));
  }
  return std::move(cosigned->signatures);
}

// The size in an answer with code 409; absent if it is none.
std::optional<std::uint64_t> size_in(const Reply& reply) {
  std::string_view text = reply.text;
  if (const auto line = record::take_line(text)) return record::number_in(*line);
  return record::number_in(text);
}

// `old_size`: the size that the last submission named.
tl::unexpected<Error> refused(const std::string& url, const SignedJournal& journal,
                              std::uint64_t old_size, const Reply& reply) {
  const std::uint64_t size = journal.checkpoint.head.size;
  const std::optional<std::uint64_t> seen = size_in(reply);
  if (reply.code == 409 && seen && *seen > size) {
    return fail(ErrorCode::kCorrupt,
                "the witness {} has seen {} records of this run, but only {} are signed here: the "
                "journal was cut, or it is an older copy",
                url, *seen, size);
  }
  // The same size again means that the witness has seen other records.
  if (reply.code == 422 || (reply.code == 409 && old_size > 0 && seen == old_size)) {
    return fail(ErrorCode::kCorrupt,
                "the witness {} has seen another history of this run: its first {} records are not "
                "the first records here",
                url, old_size);
  }
  if (reply.code == 403 || reply.code == 404) {
    return fail(ErrorCode::kInvalidInput,
                "the witness {} does not sign runs with this key: give its operator the output of  "
                "surety keys show",
                url);
  }
  return fail(ErrorCode::kUnavailable, "the witness {} answered {}: {}", url, reply.code,
              plain_text(reply.text, kShownMax));
}

// The number in the name of the file with the answers of this witness.
std::uint32_t file_number(const std::string& url) {
  const crypto::Digest digest = crypto::sha256(std::as_bytes(std::span(url)));
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | static_cast<std::uint32_t>(digest[i]);
  }
  return number;
}

// An answer by other keys does not replace the stored one: somebody may have answered in place of
// the witness.
Result<void> check_same_witness(const std::string& url, const std::filesystem::path& file,
                                const std::vector<record::NoteSignature>& cosignatures) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  const Result<std::optional<record::Note>> before = read_note(file);
  if (!before || !*before) return {};  // It is damaged, and the answer is better.
  const auto has_signed = [&](const record::NoteSignature& signature) {
    return std::ranges::any_of((*before)->signatures, [&](const record::NoteSignature& other) {
      return other.bytes.size() == kCosignatureBytes && other.name == signature.name &&
             other.hash == signature.hash;
    });
  };
  if (std::ranges::any_of(cosignatures, has_signed)) return {};
  return fail(ErrorCode::kCorrupt,
              "the witness {} answered with the key {}, which did not sign its earlier answer {}: "
              "that is kept. If its operator has changed the key, move this file away",
              url, plain_text(cosignatures.front().name, kShownMax), file.string());
}

}  // namespace

std::string words_of(const Cosigned& cosigned) {
  return fmt::format("{} answered for {} (surety verify --witness checks the signature)",
                     fmt::join(cosigned.keys, " and "), counted(cosigned.records, "record"));
}

Result<Cosigned> cosign(const std::filesystem::path& run, const std::string& url) {
  SURETY_TRY(SignedJournal journal, read_signed_journal(run));
  record::Submission submission{
      .old_size = 0, .proof = {}, .signed_checkpoint = record::to_text(journal.note)};
  SURETY_TRY(Reply reply, post(url, submission));
  // The witness names the size that it has seen, and the proof begins there.
  for (int tries = 1; tries < kTries && reply.code == 409; ++tries) {
    const std::uint64_t seen = size_in(reply).value_or(0);
    if (seen == submission.old_size || seen > journal.checkpoint.head.size) break;
    submission.old_size = seen;
    submission.proof = seen == 0 ? record::Digests() : record::prove_growth(journal.leaves, seen);
    SURETY_TRY(reply, post(url, submission));
  }
  if (reply.code != 200) return refused(url, journal, submission.old_size, reply);
  SURETY_TRY(std::vector<record::NoteSignature> cosignatures,
             cosignatures_in(url, journal.note, reply.text));
  const std::filesystem::path file = run / run_folder::witnessed_file(file_number(url));
  SURETY_TRY(check_same_witness(url, file, cosignatures));
  Cosigned cosigned{{}, journal.checkpoint.head.size};
  for (record::NoteSignature& signature : cosignatures) {
    cosigned.keys.push_back(plain_text(signature.name, kShownMax));
    journal.note.signatures.push_back(std::move(signature));
  }
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
