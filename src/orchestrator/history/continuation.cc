#include "orchestrator/history/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/words.h"

namespace surety::orchestrator {
namespace {

// A folder may have any name, and a line of a checkpoint may not.
std::string plain_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    text += is_plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return text;
}

tl::unexpected<Error> not_signed(const std::string& why) {
  return fail(ErrorCode::kCorrupt,
              "{}. Your key has signed this run, so a journal that it has not signed is not "
              "continued: restore the journal and its signature from a copy, or begin a new run",
              why);
}

}  // namespace

std::string record_origin(const std::string& run, double started_unix_s) {
  return fmt::format("surety.run/{}/{:.6f}", plain_name(run), started_unix_s);
}

Result<Continuation> continuation_of(const std::vector<proto::JournalRecord>& records,
                                     const record::Digests& leaves,
                                     const std::optional<record::Note>& head,
                                     const std::optional<record::Verifier>& own) {
  Continuation all{.kept = records.size()};
  if (records.empty() || !records.front().has_run_began()) return all;
  const proto::RunBegan& began = records.front().run_began();
  if (!began.has_signer()) return all;
  if (!own || own->text() != began.signer()) {
    const auto signer = record::parse_verifier(began.signer());
    all.remark = fmt::format("from now on this run is not signed: the key {} is not here",
                             signer ? signer->name : "that it began with");
    return all;
  }
  if (!head) return not_signed("the signature of the journal is missing");
  if (!record::is_signed_by(*head, *own)) {
    return not_signed("the journal has no valid signature of your key");
  }
  const auto checkpoint = record::parse_checkpoint(head->text);
  if (!checkpoint) return not_signed(checkpoint.error().message);
  if (checkpoint->origin != record_origin(began.run(), began.started_unix_s())) {
    return not_signed("the signature is of another run");
  }
  const std::uint64_t size = checkpoint->head.size;
  if (size > leaves.size()) {
    return not_signed(fmt::format("{} were signed, and the journal has {}", counted(size, "record"),
                                  leaves.size()));
  }
  if (record::root_of(std::span(leaves).first(size)) != checkpoint->head.root) {
    return not_signed(
        fmt::format("one of the first {} records is not the one that was signed", size));
  }
  const auto unsigned_begin = records.begin() + static_cast<std::ptrdiff_t>(size);
  const bool was_led_without_key =
      std::any_of(unsigned_begin, records.end(),
                  [](const proto::JournalRecord& record) { return record.has_run_resumed(); });
  if (was_led_without_key) {
    all.remark = "from now on this run is not signed: it was continued without your key";
    return all;
  }
  Continuation some{.kept = size, .is_signed = true};
  if (size < records.size()) {
    some.remark = fmt::format("{} after the last signature {} removed: nothing depends on {}",
                              counted(records.size() - size, "record"),
                              records.size() - size == 1 ? "is" : "are",
                              records.size() - size == 1 ? "it" : "them");
  }
  return some;
}

}  // namespace surety::orchestrator
