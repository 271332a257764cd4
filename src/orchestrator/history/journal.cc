#include "orchestrator/history/journal.h"

#include <cstring>

#include "base/check.h"
#include "base/checksum.h"

namespace surety::orchestrator {
namespace {

constexpr std::size_t kHeadBytes = kJournalHeadBytes;

}  // namespace

std::vector<std::byte> encode_record(const proto::JournalRecord& record) {
  const std::string payload = record.SerializeAsString();
  SURETY_CHECK(payload.size() <= kJournalRecordBytesMax);
  const auto length = static_cast<std::uint32_t>(payload.size());
  const std::uint64_t sum = checksum(std::as_bytes(std::span(payload)));
  std::vector<std::byte> bytes(kHeadBytes + payload.size());
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, &sum, sizeof sum);
  if (length > 0) std::memcpy(bytes.data() + kHeadBytes, payload.data(), length);
  return bytes;
}

crypto::Digest leaf_of(std::span<const std::byte> encoded) {
  SURETY_CHECK(encoded.size() >= kHeadBytes);
  return record::leaf_digest(encoded.subspan(kHeadBytes));
}

bool must_be_durable(const proto::JournalRecord& record) {
  return !record.has_pass_done() && !record.has_phase_began();
}

namespace {

// Longer times are no durations (base/time.h).
constexpr double kRunSecondsMax = 9e9;

// The record that begins at this byte was changed after it was written, and it is not a torn tail.
tl::unexpected<Error> damaged(std::string_view name, std::size_t whole, std::size_t at,
                              std::string_view what) {
  const std::string advice =
      whole == 0 ? std::string("No record before it is complete, so a new run has to be started")
                 : fmt::format(
                       "Or remove it and everything after it (truncate -s {} '{}'). The "
                       "records before it ({}) are complete, and --resume continues from the "
                       "newest of their checkpoints that is left",
                       at, name, whole);
  return fail(
      ErrorCode::kCorrupt,
      "{}: record {} at byte {} is damaged ({}). The records after it cannot be trusted. Restore "
      "the file from a copy. {}",
      name, whole + 1, at, what, advice);
}

// Whether a whole record begins at any of these bytes. In a torn tail no record does. If nearly
// every byte could be a length, the search ends after this many bytes of checksums.
bool has_whole_record(std::span<const std::byte> bytes) {
  constexpr std::size_t kChecksumBytesMax = 1u << 30;
  std::size_t computed = 0;
  for (std::size_t at = 0; at + kHeadBytes <= bytes.size(); ++at) {
    std::uint32_t length = 0;
    std::uint64_t sum = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    std::memcpy(&sum, bytes.data() + at + sizeof length, sizeof sum);
    if (length == 0 || length > bytes.size() - at - kHeadBytes) continue;
    if (checksum(bytes.subspan(at + kHeadBytes, length)) == sum) return true;
    computed += length;
    if (computed > kChecksumBytesMax) return false;
  }
  return false;
}

}  // namespace

Result<JournalContents> decode_journal(std::string_view name, std::span<const std::byte> bytes) {
  JournalContents contents;
  const std::size_t seen = std::min(bytes.size(), kJournalMagic.size());
  if (seen > 0 && std::memcmp(bytes.data(), kJournalMagic.data(), seen) != 0) {
    return fail(ErrorCode::kCorrupt, "{}: not a journal: it should begin with {}", name,
                kJournalMagic);
  }
  if (bytes.size() < kJournalMagic.size()) {
    contents.torn_bytes = bytes.size();
    return contents;
  }
  std::size_t at = kJournalMagic.size();
  while (bytes.size() - at >= kHeadBytes) {
    std::uint32_t length = 0;
    std::uint64_t sum = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    std::memcpy(&sum, bytes.data() + at + sizeof length, sizeof sum);
    const std::size_t left = bytes.size() - at - kHeadBytes;
    // A crash may leave a part of a record, but never an impossible length.
    if (length > kJournalRecordBytesMax) {
      return damaged(name, contents.records.size(), at,
                     fmt::format("its length is {}, and no record has more than {} bytes", length,
                                 kJournalRecordBytesMax));
    }
    if (length > left) {
      if (!has_whole_record(bytes.subspan(at + 1))) break;  // A torn tail.
      return damaged(
          name, contents.records.size(), at,
          fmt::format("its length is {}, but only {} bytes follow, and a whole record is "
                      "among them",
                      length, left));
    }
    const auto payload = bytes.subspan(at + kHeadBytes, length);
    proto::JournalRecord fact;
    const bool is_whole = checksum(payload) == sum;
    if (!is_whole && length == left) break;  // The last record, half written.
    if (!is_whole) {
      return damaged(name, contents.records.size(), at,
                     fmt::format("its checksum does not match its bytes, and {} bytes follow it",
                                 left - length));
    }
    if (!fact.ParseFromArray(payload.data(), static_cast<int>(length))) {
      return damaged(name, contents.records.size(), at,
                     "its checksum is right, but it has a form that this program does not write");
    }
    if (!(std::abs(fact.run_s()) <= kRunSecondsMax)) {
      return damaged(name, contents.records.size(), at,
                     fmt::format("its time is {} s, and no run lasts so long", fact.run_s()));
    }
    contents.records.push_back(std::move(fact));
    contents.leaves.push_back(record::leaf_digest(payload));
    contents.payloads.push_back({.at = at + kHeadBytes, .size = length});
    at += kHeadBytes + length;
  }
  contents.valid_bytes = at;
  contents.torn_bytes = bytes.size() - at;
  return contents;
}

}  // namespace surety::orchestrator
