#include "base/posix/utc.h"

#include <gtest/gtest.h>

namespace surety::posix {
namespace utc_posix_test {

TEST(Utc, IsWrittenAsIso8601) {
  EXPECT_EQ(utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc(1'800'000'000.9), "2027-01-15T08:00:00Z");
}

}  // namespace utc_posix_test
}  // namespace surety::posix
