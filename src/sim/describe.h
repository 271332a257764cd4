// A fact of the journal as a line of a time line.
#pragma once

#include <string>

namespace surety::proto {
class JournalRecord;
}  // namespace surety::proto

namespace surety::sim {

// Empty for what a reader of a time line does not want to see.
[[nodiscard]] std::string describe(const proto::JournalRecord& record);

}  // namespace surety::sim
