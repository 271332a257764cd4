#include "cli/run/ending_codes.h"

#include <gtest/gtest.h>

#include <optional>

#include "cli/exit_codes.h"

namespace surety::cli {
namespace ending_codes_test {

using orchestrator::Ending;

TEST(EndingCodes, AnEndingComesBackFromItsExitCode) {
  for (const Ending ending : {Ending::kInterrupted, Ending::kPaused, Ending::kBadInput,
                              Ending::kFailed, Ending::kTakenOver}) {
    const std::optional<int> code = exit_code(ending);
    ASSERT_TRUE(code);
    EXPECT_EQ(ending_with(*code), ending);
  }
}

TEST(EndingCodes, TheVerdictDecidesTheCodeOfACompleteRun) {
  EXPECT_EQ(exit_code(Ending::kComplete), std::nullopt);
}

TEST(EndingCodes, ACodeThatNoEndingHasCountsAsAFailure) {
  EXPECT_EQ(ending_with(kMissed), Ending::kFailed);
  EXPECT_EQ(ending_with(77), Ending::kFailed);
}

}  // namespace ending_codes_test
}  // namespace surety::cli
