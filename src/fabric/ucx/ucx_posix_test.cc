// The UCX transport over real sockets on loopback. The parent makes its transports after forking,
// so that no child inherits one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/posix/clock.h"
#include "base/random.h"
#include "fabric/round.h"
#include "fabric/ucx/ucx_transport.h"

namespace surety::fabric {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Duration kPatience = std::chrono::seconds(20);  // Only a failure waits as long.
constexpr std::uint64_t kSecret = 0x5eca5eca5eca5ecaull;

std::unique_ptr<UcxTransport> make(std::uint64_t secret = kSecret,
                                   std::uint64_t bytes_max = 1 << 30) {
  auto made = make_ucx_transport({.transport = {.message_bytes_max = bytes_max, .secret = secret}});
  SURETY_CHECK(made.has_value());
  return std::move(*made);
}

std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> made(bytes);
  for (auto& b : made) b = static_cast<std::byte>(random.next());
  return made;
}

// What transports heard, by transport.
struct Heard {
  std::vector<Received> received;
  std::vector<std::uint64_t> sent;
  std::vector<PeerLost> lost;
};

// Polls all in turn until `done`, or patience is over.
bool pump(const std::vector<Transport*>& transports, std::vector<Heard>& heard,
          const std::function<bool()>& done) {
  heard.resize(transports.size());
  const Time deadline = posix::now() + kPatience;
  while (!done() && posix::now() < deadline) {
    for (std::size_t i = 0; i < transports.size(); ++i) {
      for (auto& event : transports[i]->poll(std::chrono::milliseconds(1))) {
        if (auto* received = std::get_if<Received>(&event)) {
          heard[i].received.push_back(std::move(*received));
        } else if (const auto* sent = std::get_if<Sent>(&event)) {
          heard[i].sent.push_back(sent->ticket);
        } else {
          heard[i].lost.push_back(std::get<PeerLost>(event));
        }
      }
    }
  }
  return done();
}

TEST(UcxTransport, ShortAndLongMessagesArriveWholeAndInOrder) {
  auto a = make();
  auto b = make();
  // A long one first: the short ones behind it overtake it on the way.
  const std::vector<std::size_t> sizes{8 << 20, 0, 1, 100, 200'000, 4096, 3 << 20, 7};
  const PeerId peer = *a->connect(b->address());
  std::vector<std::vector<std::byte>> messages;
  for (std::size_t i = 0; i < sizes.size(); ++i) messages.push_back(pattern(sizes[i], i));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_TRUE(a->send(peer, {.round = 9, .sender = 1, .step = static_cast<std::uint32_t>(i)},
                        messages[i]));
  }
  std::vector<Heard> heard(2);
  ASSERT_TRUE(pump({a.get(), b.get()}, heard, [&] {
    return heard[1].received.size() == sizes.size() && heard[0].sent.size() == sizes.size();
  }));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(heard[1].received[i].tag, (Tag{9, 1, static_cast<std::uint32_t>(i)}));
    EXPECT_EQ(heard[1].received[i].bytes, messages[i]) << i;
  }
  // And back over the same connection.
  ASSERT_TRUE(b->send(heard[1].received[0].peer, {.round = 10}, messages[0]));
  ASSERT_TRUE(pump({a.get(), b.get()}, heard, [&] { return heard[0].received.size() == 1; }));
  EXPECT_EQ(heard[0].received[0].peer, peer);
  EXPECT_EQ(heard[0].received[0].bytes, messages[0]);
}

}  // namespace
}  // namespace surety::fabric
