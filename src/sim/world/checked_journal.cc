#include "sim/world/checked_journal.h"

#include <utility>

#include "base/check.h"

namespace surety::sim {

Result<void> CheckedJournal::append(const proto::JournalRecord& record) {
  SURETY_TRY(disk_.append(record));
  wrote_ = true;
  watch_.on_append(record);
  return {};
}

void CheckedJournal::sync() {
  if (disk_.sync()) watch_.on_sync();
}

std::vector<proto::JournalRecord> CheckedJournal::open() {
  Result<std::vector<proto::JournalRecord>> records = disk_.open();
  SURETY_CHECK(records.has_value());
  watch_.on_restart(*records);
  return std::move(*records);
}

void CheckedJournal::compare(const orchestrator::RunState& state) {
  if (std::exchange(wrote_, false)) watch_.check_state(state);
}

}  // namespace surety::sim
