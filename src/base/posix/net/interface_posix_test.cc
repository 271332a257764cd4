#include "base/posix/net/interface.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "base/posix/fd.h"

namespace surety::posix {
namespace interface_posix_test {

TEST(InterfaceReader, CountsWhatPassesInBothDirections) {
  auto reader = InterfaceReader::of("lo");
  ASSERT_TRUE(reader) << reader.error().message;
  const InterfaceBytes before = reader->read();
  const Fd socket(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_port = htons(9);
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::array<char, 10'000> bytes{};
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(::sendto(socket.get(), bytes.data(), bytes.size(), 0,
                               reinterpret_cast<const sockaddr*>(&nobody), sizeof(nobody)));
  }
  const InterfaceBytes after = reader->read();
  EXPECT_GE(after.out - before.out, 200'000u);
  EXPECT_GE(after.in - before.in, 200'000u);
}

TEST(InterfaceReader, AnUnknownNameIsSaid) {
  const auto reader = InterfaceReader::of("no-such-port");
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("no-such-port"), std::string::npos);
}

}  // namespace interface_posix_test
}  // namespace surety::posix
