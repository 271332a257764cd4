// The journal's bytes: an append-only list of records, each with its length and checksum.
//
//   "SURETYJ1" then, per record: u32 length | u64 XXH3 of the payload | payload (protobuf), all
//   little-endian
//
// A crash can tear the last record. A torn tail is cut off, never guessed. If a complete record in
// the middle of the file is wrong, the file is Corrupt, because the following records cannot be
// trusted either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/surety.pb.h"
#include "record/merkle_tree.h"

namespace surety::orchestrator {

inline constexpr std::string_view kJournalMagic = "SURETYJ1";
// Larger than any valid record (a plan with its bands is about 100 KB): a greater length is
// corruption.
inline constexpr std::uint32_t kJournalRecordBytesMax = 64u << 20;
// Bytes of a record before its payload.
inline constexpr std::size_t kJournalHeadBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

[[nodiscard]] std::vector<std::byte> encode_record(const proto::JournalRecord& record);
// The digest of a record, with which it can be proved that a journal contains the record: the
// digest of its payload. REQUIRES: the bytes are of encode_record().
[[nodiscard]] crypto::Digest leaf_of(std::span<const std::byte> encoded);

// Whether the record must be durable, because later actions of the run depend on it. PassDone and
// PhaseBegan need no sync: a crash loses a pass together with the checkpoint after it, and a phase
// can be derived again. On a disk that takes milliseconds to sync, syncing them would make short
// passes twice as long.
[[nodiscard]] bool must_be_durable(const proto::JournalRecord& record);

// The place of a record's payload in the journal's bytes.
struct JournalPayload {
  std::uint64_t at = 0;
  std::uint32_t size = 0;
};

struct JournalContents {
  std::vector<proto::JournalRecord> records;
  record::Digests leaves;                // leaf_of() each record.
  std::vector<JournalPayload> payloads;  // The place of each record.
  std::uint64_t valid_bytes = 0;         // The torn tail begins after these bytes.
  std::uint64_t torn_bytes = 0;          // Length of the torn tail.
};

// `name` is for messages. Corrupt if the bytes are not a journal, or damaged before their end. The
// message states the place, and what the user can do.
[[nodiscard]] Result<JournalContents> decode_journal(std::string_view name,
                                                     std::span<const std::byte> bytes);

}  // namespace surety::orchestrator
