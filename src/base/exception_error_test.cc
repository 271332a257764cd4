#include "base/exception_error.h"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>

namespace surety {
namespace exception_error_test {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ExceptionError, ExhaustedMemoryIsNamedWithWhatHelps) {
  const Error error = error_of(std::bad_alloc(), "learning");
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, StartsWith("learning: found not enough memory"));
  EXPECT_THAT(error.message, HasSubstr("set cluster.spill"));
}

TEST(ExceptionError, AnotherExceptionKeepsItsTextAfterWhatItInterrupted) {
  EXPECT_EQ(error_of(std::runtime_error("no kernel"), "learning").message, "learning: no kernel");
}

}  // namespace exception_error_test
}  // namespace surety
