#include "orchestrator/history/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace surety::orchestrator {
namespace journal_test {

using ::testing::HasSubstr;

proto::JournalRecord phase(const std::string& name, double run_s) {
  proto::JournalRecord record;
  record.set_run_s(run_s);
  record.mutable_phase_began()->set_phase(name);
  return record;
}

std::vector<std::byte> journal_of(const std::vector<proto::JournalRecord>& records) {
  const auto magic = std::as_bytes(std::span(kJournalMagic));
  std::vector<std::byte> bytes(magic.begin(), magic.end());
  for (const auto& record : records) {
    const auto more = encode_record(record);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

TEST(Journal, WhatIsWrittenIsRead) {
  const auto bytes = journal_of({phase("gather", 0), phase("profile", 1.5)});
  const auto contents = decode_journal("j", bytes);
  ASSERT_TRUE(contents);
  ASSERT_EQ(contents->records.size(), 2u);
  EXPECT_EQ(contents->records[1].phase_began().phase(), "profile");
  EXPECT_EQ(contents->valid_bytes, bytes.size());
}

TEST(Journal, ATornTailIsCutWhereverItTears) {
  const auto whole = journal_of({phase("gather", 0)});
  const auto bytes = journal_of({phase("gather", 0), phase("profile", 1.5)});
  for (std::size_t length = whole.size(); length < bytes.size(); ++length) {
    const auto contents = decode_journal("j", std::span(bytes).first(length));
    ASSERT_TRUE(contents) << "cut to " << length;
    EXPECT_EQ(contents->records.size(), 1u);
    EXPECT_EQ(contents->valid_bytes, whole.size());
    EXPECT_EQ(contents->torn_bytes, length - whole.size());
  }
}

TEST(Journal, AHalfWrittenLastRecordIsCut) {
  auto bytes = journal_of({phase("gather", 0), phase("profile", 1.5)});
  bytes.back() ^= std::byte{1};
  const auto contents = decode_journal("j", bytes);
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->records.size(), 1u);
}

// The byte at which the second record of the next function's journal begins.
std::size_t second_record() { return journal_of({phase("gather", 0)}).size(); }

// The error in a journal of three records if this bit of the second record is flipped.
std::string damage_of_second(std::size_t byte, std::byte bit) {
  auto bytes = journal_of({phase("gather", 0), phase("profile", 1.5), phase("train", 2)});
  bytes[second_record() + byte] ^= bit;
  const auto contents = decode_journal("j", bytes);
  if (contents) return "nothing";
  EXPECT_EQ(contents.error().code, ErrorCode::kCorrupt);
  return contents.error().message;
}

TEST(Journal, DamageBeforeTheEndIsAnErrorNamingTheRecordAndWhatMayBeDone) {
  const std::string damage = damage_of_second(14, std::byte{1});
  EXPECT_THAT(damage, HasSubstr(fmt::format("record 2 at byte {} is damaged", second_record())));
  EXPECT_THAT(damage, HasSubstr(fmt::format("truncate -s {} 'j'", second_record())));
}

// A crash never leaves an impossible length, so the bytes after it are not cut off.
TEST(Journal, ALengthThatNoRecordHasIsDamageAndNoTornTail) {
  const std::string damage = damage_of_second(3, std::byte{0x40});  // The length is little-endian.
  EXPECT_THAT(damage, HasSubstr("record 2 at byte"));
  EXPECT_THAT(damage, HasSubstr(fmt::format("truncate -s {} 'j'", second_record())));
}

// A possible length that reaches beyond the end of the journal.
TEST(Journal, ALengthThatHidesWholeRecordsIsDamageAndNoTornTail) {
  EXPECT_THAT(damage_of_second(1, std::byte{0x40}),
              HasSubstr(fmt::format("record 2 at byte {} is damaged", second_record())));
}

// Its bytes are those that were written, so it is not torn, although it is the last record.
TEST(Journal, ARecordThatCannotBeReadIsDamageAndNoTornTail) {
  const auto contents =
      decode_journal("j", journal_of({phase("gather", 0), phase("not UTF-8: \xff", 1)}));
  ASSERT_FALSE(contents);
  EXPECT_THAT(contents.error().message, HasSubstr("record 2 at byte"));
  EXPECT_THAT(contents.error().message, HasSubstr("its checksum is right"));
}

TEST(Journal, ARecordWithATimeThatIsNoDurationIsDamage) {
  for (const double run_s : {1e10, -1e300, HUGE_VAL, double{NAN}}) {
    const auto contents = decode_journal("j", journal_of({phase("gather", 0), phase("x", run_s)}));
    ASSERT_FALSE(contents) << run_s;
    EXPECT_THAT(contents.error().message, HasSubstr("record 2 at byte"));
    EXPECT_THAT(contents.error().message, HasSubstr("no run lasts so long"));
  }
}

TEST(Journal, IfNoRecordIsCompleteTheMessageDoesNotAdviseToContinue) {
  auto bytes = journal_of({phase("gather", 0), phase("profile", 1.5)});
  bytes[kJournalMagic.size() + 14] ^= std::byte{1};
  const auto contents = decode_journal("j", bytes);
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().message.find("truncate"), std::string::npos);
  EXPECT_NE(contents.error().message.find("a new run has to be started"), std::string::npos);
}

TEST(Journal, AnotherFileIsNotAJournal) {
  const std::string_view text = "promise: {target: 0.3}";
  EXPECT_FALSE(decode_journal("j", std::as_bytes(std::span(text))));
}

TEST(Journal, AnEmptyFileIsAnEmptyJournal) {
  const auto contents = decode_journal("j", {});
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->records.empty());
  EXPECT_EQ(contents->valid_bytes, 0u);
}

}  // namespace journal_test
}  // namespace surety::orchestrator
