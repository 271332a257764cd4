// Turns a fact of the journal into a line of a time line.
#pragma once

#include <string>

namespace surety::proto {
class JournalRecord;
}  // namespace surety::proto

namespace surety::sim {

// Empty for facts that a reader of a time line does not need.
[[nodiscard]] std::string describe(const proto::JournalRecord& record);

}  // namespace surety::sim
