#include "test/support/fabric/transport/memory_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace memory_transport_test {

using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

template <typename Event>
std::vector<Event> only(const std::vector<TransportEvent>& events) {
  std::vector<Event> found;
  for (const auto& event : events) {
    if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
  }
  return found;
}

TEST(MemoryTransport, MessagesArriveInOrderAndAreReportedSent) {
  MemoryNetwork network;
  const auto a = network.make();
  const auto b = network.make();
  const PeerId peer = *a->connect(b->address());
  const auto first = bytes_of({1, 2});
  const auto second = bytes_of({3});
  const std::uint64_t ticket = *a->send(peer, {.step = 1}, first);
  ASSERT_TRUE(a->send(peer, {.step = 2}, second));
  EXPECT_TRUE(a->poll({}).empty());  // Sent is not reported before the message has arrived.
  const auto received = only<Received>(b->poll({}));
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].bytes, first);
  EXPECT_EQ(received[1].bytes, second);
  EXPECT_EQ(only<Sent>(a->poll({})).at(0).ticket, ticket);
  // The connection works in the other direction, too.
  ASSERT_TRUE(b->send(received[0].peer, {.step = 3}, first));
  EXPECT_EQ(only<Received>(a->poll({})).at(0).peer, peer);
}

TEST(MemoryTransport, ACutLosesWhatIsUnderWayAndBothSidesHear) {
  MemoryNetwork network;
  const auto a = network.make();
  const auto b = network.make();
  const auto c = network.make();
  const PeerId peer = *a->connect(b->address());
  const PeerId other = *a->connect(c->address());
  const auto message = bytes_of({1});
  ASSERT_TRUE(a->send(peer, {}, message));
  network.cut(*a, *b, "a cable");
  EXPECT_TRUE(only<Received>(b->poll({})).empty());
  const auto lost = only<PeerLost>(a->poll({}));
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].peer, peer);
  EXPECT_EQ(lost[0].reason, "a cable");
  EXPECT_EQ(a->send(peer, {}, message).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(a->send(other, {}, message));
}

TEST(MemoryTransport, DeathOfATransportIsALossToItsPeers) {
  MemoryNetwork network;
  const auto a = network.make();
  auto b = network.make();
  ASSERT_TRUE(a->connect(b->address()));
  const std::string address = b->address();
  b.reset();
  EXPECT_EQ(only<PeerLost>(a->poll({})).size(), 1u);
  const PeerId again = *a->connect(address);
  EXPECT_EQ(only<PeerLost>(a->poll({})).at(0).peer, again);
}

TEST(MemoryTransport, RefusesAsTheRealOneDoes) {
  MemoryNetwork network;
  const auto a = network.make({.secret = 1});
  const auto b = network.make({.secret = 2});
  const auto c = network.make({.message_bytes_max = 2, .secret = 1});
  ASSERT_TRUE(a->connect(b->address()));
  EXPECT_EQ(only<PeerLost>(a->poll({})).size(), 1u);
  EXPECT_EQ(a->connect("127.0.0.1:1").error().code, ErrorCode::kInvalidInput);
  const PeerId peer = *a->connect(c->address());
  const auto message = bytes_of({1, 2, 3});
  ASSERT_TRUE(a->send(peer, {}, message));
  EXPECT_THAT(only<PeerLost>(c->poll({})).at(0).reason, HasSubstr("3 bytes, but at most 2"));
  EXPECT_EQ(only<PeerLost>(a->poll({})).size(), 1u);
}

TEST(MemoryTransport, AfterDisconnectNothingIsReported) {
  MemoryNetwork network;
  const auto a = network.make();
  const auto b = network.make();
  const PeerId peer = *a->connect(b->address());
  a->disconnect(peer);
  EXPECT_TRUE(a->poll({}).empty());
  EXPECT_EQ(only<PeerLost>(b->poll({})).size(), 1u);
}

TEST(MemoryTransport, ReorderingKeepsTheOrderWithinAPair) {
  MemoryNetwork network({.seed = 3, .reorder = true});
  const auto a = network.make();
  const auto b = network.make();
  const auto c = network.make();
  const auto message = bytes_of({1});
  const PeerId from_a = *a->connect(c->address());
  const PeerId from_b = *b->connect(c->address());
  for (std::uint32_t step = 0; step < 50; ++step) {
    ASSERT_TRUE(a->send(from_a, {.sender = 1, .step = step}, message));
    ASSERT_TRUE(b->send(from_b, {.sender = 2, .step = step}, message));
  }
  std::map<std::uint32_t, std::uint32_t> next;
  bool alternates = true;
  std::uint32_t previous = 0;
  for (int i = 0; i < 100; ++i) {
    const auto received = only<Received>(c->poll({}));
    ASSERT_EQ(received.size(), 1u);
    const Tag& tag = received[0].tag;
    EXPECT_EQ(tag.step, next[tag.sender]++);
    alternates = alternates && tag.sender != previous;
    previous = tag.sender;
  }
  EXPECT_FALSE(alternates);
}

}  // namespace memory_transport_test
}  // namespace surety::fabric
