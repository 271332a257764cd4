#include "base/posix/route.h"

#include <gtest/gtest.h>

namespace surety::posix {
namespace route_posix_test {

TEST(Route, TowardsThisMachineIsItsLoopback) {
  EXPECT_EQ(local_address_towards("127.0.0.1").value(), "127.0.0.1");
}

TEST(Route, AnUnknownNameIsSaid) {
  const auto address = local_address_towards("no-such-host.invalid");
  ASSERT_FALSE(address);
  EXPECT_NE(address.error().message.find("no-such-host.invalid"), std::string::npos);
}

}  // namespace route_posix_test
}  // namespace surety::posix
