#include "base/posix/net/route.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/posix/fd.h"
#include "base/posix/wait_testing.h"

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

TEST(Route, ThisMachineIsNotKnownToOthersByAWildcard) {
  const std::string address = own_address();
  EXPECT_NE(address, "0.0.0.0");
  EXPECT_EQ(local_address_towards(address).value(), address);
}

TEST(Route, WhoListensIsReached) {
  const Fd listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), any, length), 0);
  ASSERT_EQ(::getsockname(listener.get(), any, &length), 0);
  const std::string text = fmt::format("127.0.0.1:{}", ntohs(address.sin_port));
  EXPECT_FALSE(reach(text, kTestPatience)) << "nobody listens yet";
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_TRUE(reach(text, kTestPatience));
}

TEST(Route, AnAddressWithoutAPortIsNone) {
  EXPECT_EQ(reach("somewhere", kTestPatience).error().code, ErrorCode::kInvalidInput);
}

}  // namespace route_posix_test
}  // namespace surety::posix
