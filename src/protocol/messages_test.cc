#include "protocol/messages.h"

#include <gtest/gtest.h>

namespace surety::protocol {
namespace messages_test {

// The reaction to an error depends on the fault, on both sides of the network.
TEST(Faults, WhoseFaultAnErrorIsComesOverTheWire) {
  for (const ErrorCode code : {ErrorCode::kInvalidInput, ErrorCode::kDiverged,
                               ErrorCode::kUnavailable, ErrorCode::kCorrupt, ErrorCode::kDefect}) {
    EXPECT_EQ(code_of(fault_of(code)), code) << name_of(code);
  }
}

TEST(Faults, ANumberOfALaterVersionIsAFaultOfTheProgram) {
  EXPECT_EQ(code_of(static_cast<proto::Fault>(77)), ErrorCode::kDefect);
}

}  // namespace messages_test
}  // namespace surety::protocol
