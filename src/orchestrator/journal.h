// The journal's bytes: an append-only list of records, each with its length and checksum.
//
//   "SURETYJ1" then, per record: u32 length | u64 XXH3 of the payload | payload (protobuf), all
//   little-endian
//
// A crash can tear the last record; a torn tail is cut, never guessed. A record that is whole but
// wrong in the middle of the file is Corrupt: what follows cannot be trusted either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

inline constexpr std::string_view kJournalMagic = "SURETYJ1";
// Above any honest record (a plan with its bands is about 100 KB): a longer length is corruption.
inline constexpr std::uint32_t kJournalRecordBytesMax = 64u << 20;

[[nodiscard]] std::vector<std::byte> encode_record(const proto::JournalRecord& record);

// Whether what follows a record in the run depends on it. A pass is lost with the checkpoint after
// it anyway, and a phase says nothing that is not known again: a disk that takes milliseconds to
// sync would make short passes twice as long for them.
[[nodiscard]] bool must_be_durable(const proto::JournalRecord& record);

struct JournalContents {
  std::vector<proto::JournalRecord> records;
  std::uint64_t valid_bytes = 0;  // What follows is a torn tail,
  std::uint64_t torn_bytes = 0;   // of this length.
};

// `name` is for messages. Corrupt: not a journal, or broken before its end; the message says where,
// and what may be done about it.
[[nodiscard]] Result<JournalContents> decode_journal(std::string_view name,
                                                     std::span<const std::byte> bytes);

}  // namespace surety::orchestrator
