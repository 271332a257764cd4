#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/ucx/ucx_transport.h"
#include "test/support/fabric/transport/transport_rules.h"

namespace surety::fabric {
namespace transport_rules {

INSTANTIATE_TEST_SUITE_P(Ucx, TransportRules,
                         ::testing::Values(TransportKind{"ucx",
                                                         [](const TransportOptions& options) {
                                                           return make_ucx_transport(
                                                               {.transport = options});
                                                         }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace transport_rules

namespace ucx_posix_test {

using ::testing::StartsWith;
using transport_rules::Events;
using transport_rules::kSecret;
using transport_rules::listening_addresses;
using transport_rules::pump;

std::unique_ptr<WakeableTransport> make() {
  auto made = make_ucx_transport({.transport = {.secret = kSecret}});
  SURETY_CHECK(made.has_value());
  return std::move(*made);
}

TEST(UcxTransport, MeaninglessAddressIsAnError) {
  auto a = make();
  for (const char* address : {"", "localhost:1", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"}) {
    const auto peer = a->connect(address);
    ASSERT_FALSE(peer) << address;
    EXPECT_EQ(peer.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(peer.error().message, StartsWith(fmt::format("address '{}'", address)));
  }
  EXPECT_EQ(make_ucx_transport({.listen = "0.0.0.0:0"}).error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(make_ucx_transport({.listen = "0.0.0.0:0", .advertise = "127.0.0.1"}));
  EXPECT_EQ(make_ucx_transport({.listen = a->address()}).error().code, ErrorCode::kUnavailable);
}

TEST(UcxTransport, OnLoopbackNoPortIsOpenToTheNetwork) {
  auto a = make();
  auto b = make();
  const PeerId peer = *a->connect(b->address());
  ASSERT_TRUE(a->send(peer, {}, {}));
  std::vector<Events> events;
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[1].received.size() == 1; }));
  EXPECT_THAT(listening_addresses(), ::testing::Each("0100007F"));  // 127.0.0.1
  EXPECT_GE(listening_addresses().size(), 2u);
}

}  // namespace ucx_posix_test
}  // namespace surety::fabric
