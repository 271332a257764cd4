// The rules for every transport of real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "base/posix/clock.h"
#include "fabric/allreduce/round.h"
#include "fabric/sockets/socket_transport.h"
#include "fabric/sockets/transport_testing.h"

namespace surety::fabric {
namespace transport_rules_posix_test {

using namespace transport_testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct TransportKind {
  std::string name;
  bool is_on_network = false;
};

class TransportRules : public ::testing::TestWithParam<TransportKind> {
 protected:
  [[nodiscard]] static std::unique_ptr<WakeableTransport> make(std::uint64_t secret = kSecret,
                                                               std::uint64_t bytes_max = 1 << 30) {
    SocketOptions options{.transport = {.message_bytes_max = bytes_max, .secret = secret},
                          .key = tls_key_of("token")};
    if (GetParam().is_on_network) options.network.emplace();
    auto made = make_socket_transport(options);
    SURETY_CHECK(made.has_value());
    return std::move(*made);
  }
};

INSTANTIATE_TEST_SUITE_P(Sockets, TransportRules,
                         ::testing::Values(TransportKind{"unix", false},
                                           TransportKind{"tls", true}),
                         [](const auto& info) { return info.param.name; });

TEST_P(TransportRules, ShortAndLongMessagesArriveWholeAndInOrder) {
  auto a = make();
  auto b = make();
  // The short messages after the long one must not overtake it.
  const std::vector<std::size_t> sizes{8 << 20, 0, 1, 100, 200'000, 4096, 3 << 20, 7};
  const PeerId peer = *a->connect(b->address());
  std::vector<std::vector<std::byte>> messages;
  for (std::size_t i = 0; i < sizes.size(); ++i) messages.push_back(pattern(sizes[i], i));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_TRUE(a->send(peer, {.round = 9, .sender = 1, .step = static_cast<std::uint32_t>(i)},
                        messages[i]));
  }
  std::vector<Events> events(2);
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] {
    return events[1].received.size() == sizes.size() && events[0].sent.size() == sizes.size();
  }));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(events[1].received[i].tag, (Tag{9, 1, static_cast<std::uint32_t>(i)}));
    EXPECT_EQ(events[1].received[i].bytes, messages[i]) << i;
  }
  // The same connection works in the other direction.
  ASSERT_TRUE(b->send(events[1].received[0].peer, {.round = 10}, messages[0]));
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[0].received.size() == 1; }));
  EXPECT_EQ(events[0].received[0].peer, peer);
  EXPECT_EQ(events[0].received[0].bytes, messages[0]);
}

TEST_P(TransportRules, WrongSecretIsRefused) {
  const auto message = pattern(1000, 1);
  auto a = make(1);
  auto b = make(2);
  const PeerId peer = *a->connect(b->address());
  ASSERT_TRUE(a->send(peer, {.round = 1}, message));
  std::vector<Events> events;
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[0].lost.size() == 1; }));
  EXPECT_EQ(events[0].lost[0].peer, peer);
  EXPECT_TRUE(events[1].received.empty());
  EXPECT_TRUE(events[1].lost.empty());  // It never was a peer.
  EXPECT_EQ(a->send(peer, {}, {}).error().code, ErrorCode::kUnavailable);
}

TEST_P(TransportRules, AnnouncementOverTheLimitIsRefusedUnread) {
  const auto allowed = pattern(1000, 1);
  const auto too_long = pattern(4 << 20, 2);
  auto a = make();
  auto b = make(kSecret, 1000);
  const PeerId peer = *a->connect(b->address());
  ASSERT_TRUE(a->send(peer, {.step = 1}, allowed));
  std::vector<Events> events;
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[1].received.size() == 1; }));
  ASSERT_TRUE(a->send(peer, {.step = 2}, too_long));
  ASSERT_TRUE(pump({a.get(), b.get()}, events,
                   [&] { return events[0].lost.size() == 1 && events[1].lost.size() == 1; }));
  EXPECT_THAT(events[1].lost[0].reason, HasSubstr("announces 4194304 bytes, but at most 1000"));
  EXPECT_EQ(events[1].received.size(), 1u);
}

TEST_P(TransportRules, NobodyAtTheAddressIsALostPeer) {
  std::string address;
  {
    auto gone = make();
    address = gone->address();
  }
  const auto message = pattern(1 << 20, 1);
  auto a = make();
  const PeerId peer = *a->connect(address);
  static_cast<void>(a->send(peer, {}, message));
  std::vector<Events> events;
  ASSERT_TRUE(pump({a.get()}, events, [&] { return events[0].lost.size() == 1; }));
  EXPECT_EQ(events[0].lost[0].peer, peer);
}

TEST_P(TransportRules, AfterDisconnectNothingIsReported) {
  auto a = make();
  auto b = make();
  const PeerId peer = *a->connect(b->address());
  {
    const auto message = pattern(8 << 20, 1);  // The buffer is freed before the message has left.
    ASSERT_TRUE(a->send(peer, {}, message));
    std::vector<Events> events;
    ASSERT_TRUE(a->send(peer, {}, {}));
    ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return true; }));
    a->disconnect(peer);
  }
  auto c = make();
  const PeerId other = *a->connect(c->address());
  ASSERT_TRUE(a->send(other, {}, {}));
  std::vector<Events> events;
  ASSERT_TRUE(
      pump({a.get(), b.get(), c.get()}, events, [&] { return events[2].received.size() == 1; }));
  EXPECT_TRUE(events[0].lost.empty());
}

TEST_P(TransportRules, WakeEndsAWaitAtOnce) {
  auto a = make();
  a->wake();  // A wake() before the wait is not lost.
  EXPECT_TRUE(a->poll(std::chrono::hours(1)).empty());
  std::thread waker([&] { a->wake(); });
  EXPECT_TRUE(a->poll(std::chrono::hours(1)).empty());
  waker.join();
}

TEST_P(TransportRules, AStreamOfMessagesNeverStalls) {
  constexpr std::uint32_t kMessages = 4000;
  Child child([](int down, int up) {
    auto transport = make();
    write_line(up, transport->address());
    for (std::uint32_t next = 0; next < kMessages;) {
      for (const auto& event : transport->poll(std::chrono::seconds(1))) {
        const auto* received = std::get_if<Received>(&event);
        if (received == nullptr || received->tag.step != next++) return 1;
      }
    }
    write_line(up, "received");
    read_line(down);  // The end of this process would be a lost peer.
    return 0;
  });
  auto a = make();
  const PeerId peer = *a->connect(read_line(child.from()));
  const auto message = pattern(64 << 10, 1);
  std::uint32_t begun = 0;
  std::vector<Events> events(1);
  const auto sends_on = [&] {
    for (; begun < kMessages && begun < events[0].sent.size() + 8; ++begun) {
      if (!a->send(peer, {.step = begun}, message)) return true;
    }
    return events[0].sent.size() == kMessages;
  };
  ASSERT_TRUE(pump({a.get()}, events, sends_on));
  // Data are transferred only within calls.
  ASSERT_TRUE(pump({a.get()}, events, [&] { return child.has_written(); }));
  EXPECT_TRUE(events[0].lost.empty());
  ASSERT_EQ(read_line(child.from()), "received");
  write_line(child.to(), "end");
  EXPECT_EQ(child.exit_code(), 0);
}

TEST_P(TransportRules, KilledPeerIsLostAndItsBuffersAreFree) {
  const auto child_body = [](int, int up) {
    auto transport = make();
    write_line(up, transport->address());
    while (true) static_cast<void>(transport->poll(std::chrono::seconds(1)));
    return 0;
  };
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i) children.push_back(std::make_unique<Child>(child_body));
  auto a = make();
  for (int polls = 0; auto& child : children) {
    const PeerId peer = *a->connect(read_line(child->from()));
    ASSERT_TRUE(a->send(peer, {.step = 0}, {}));
    std::vector<Events> events;
    ASSERT_TRUE(pump({a.get()}, events, [&] { return !events[0].sent.empty(); }));
    // When the child is killed, the long messages are anywhere between not begun and half sent.
    const auto longest = std::make_unique<std::vector<std::byte>>(64 << 20);
    for (std::uint32_t i = 1; i < 4; ++i) ASSERT_TRUE(a->send(peer, {.step = i}, *longest));
    ASSERT_TRUE(pump({a.get()}, events, [left = polls]() mutable { return left-- <= 0; }));
    polls += 2;
    child->kill();
    ASSERT_TRUE(pump({a.get()}, events, [&] { return !events[0].lost.empty(); }));
    EXPECT_EQ(events[0].lost[0].peer, peer);
    EXPECT_FALSE(events[0].lost[0].reason.empty());
  }
}

TEST_P(TransportRules, PeerKilledWhileItSendsIsLost) {
  Child child([](int down, int up) {
    auto transport = make();
    write_line(up, "ready");
    const PeerId peer = *transport->connect(read_line(down));
    const std::vector<std::byte> longest(64 << 20);
    for (int i = 0; i < 8; ++i) static_cast<void>(transport->send(peer, {}, longest));
    while (true) static_cast<void>(transport->poll(std::chrono::seconds(1)));
    return 0;
  });
  EXPECT_EQ(read_line(child.from()), "ready");
  auto a = make();
  write_line(child.to(), a->address());
  std::vector<Events> events;
  ASSERT_TRUE(pump({a.get()}, events, [&] { return !events[0].received.empty(); }));
  child.kill();
  ASSERT_TRUE(pump({a.get()}, events, [&] { return events[0].lost.size() == 1; }));
}

TEST_P(TransportRules, MayEndWhileOthersCallIt) {
  // The address of the current transport, which the callers read. It may be only partly written:
  // then a caller finds no transport.
  using Text = std::array<char, 128>;
  void* const shared =
      ::mmap(nullptr, sizeof(Text), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Text& address = *new (shared) Text{};
  std::vector<std::unique_ptr<Child>> callers;
  for (int i = 0; i < 3; ++i) {
    callers.push_back(std::make_unique<Child>([&address, parent = ::getpid()](int, int) {
      // Each time, the callers' process ends without closing its connections.
      while (::getppid() == parent) {
        Child([&address](int, int) {
          auto transport = make();
          for (int call = 0; call < 50; ++call) {
            static_cast<void>(transport->connect(address.data()));
            static_cast<void>(transport->poll(std::chrono::microseconds(200)));
          }
          ::_exit(0);
          return 0;
        }).exit_code();
      }
      return 0;
    }));
  }
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    auto transport = make();
    ASSERT_LT(transport->address().size(), address.size());
    std::strncpy(address.data(), transport->address().c_str(), address.size() - 1);
    const Time end = posix::now() + std::chrono::microseconds(random.below(4000));
    while (posix::now() < end) static_cast<void>(transport->poll(std::chrono::microseconds(100)));
  }
  callers.clear();
  ::munmap(shared, sizeof(Text));
}

constexpr std::uint64_t kElements = 1'000'000;  // This is 4 MB.
constexpr std::uint64_t kRounds = 8;

std::vector<float> contribution_of(std::uint32_t worker) {
  Random random(worker + 1);
  std::vector<float> values(kElements);
  for (auto& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

// Runs one round of worker `self`. Returns an empty string, or the error.
std::string reduce_once(Rounds& rounds, std::uint64_t round,
                        const std::shared_ptr<RoundExecutor>& executor,
                        const std::map<WorkerId, PeerId>& peers) {
  if (auto begun = rounds.begin(round, executor, peers); !begun) return begun.error().message;
  for (const Time deadline = posix::now() + posix::kTestPatience; posix::now() < deadline;) {
    const auto done = rounds.advance(std::chrono::seconds(1));
    if (!done) return done.error().message;
    if (*done) return {};
  }
  return fmt::format("round {}: waits for {} workers, {} sends in flight", round,
                     rounds.ask().size(), rounds.sends().size());
}

// Worker `self` of `count`: it writes its address, reads all addresses, reduces, and writes the
// duration or the error.
int reduce_with_others(std::unique_ptr<WakeableTransport> transport, std::uint32_t self,
                       std::uint32_t count, int down, int up) {
  write_line(up, transport->address());
  std::vector<WorkerId> members;
  std::map<WorkerId, PeerId> peers;
  std::vector<float> weights;
  std::vector<float> expected(kElements);
  for (std::uint32_t w = 0; w < count; ++w) {
    const std::string address = read_line(down);
    members.push_back(WorkerId{w});
    weights.push_back(static_cast<float>(w + 1) / 8.0f);
    if (w != self) peers[WorkerId{w}] = *transport->connect(address);
    const auto values = contribution_of(w);
    for (std::size_t i = 0; i < kElements; ++i) expected[i] += weights[w] * values[i];
  }
  const auto own = contribution_of(self);
  const Schedule schedule = all_reduce(members, kElements);
  Rounds rounds(*transport, WorkerId{self});
  Time start;
  std::string wrong;
  for (std::uint64_t round = 0; round < kRounds && wrong.empty(); ++round) {
    if (round == 1) start = posix::now();  // The first round makes the connections.
    std::vector<float> values = own;
    wrong = reduce_once(rounds, round,
                        std::make_shared<RoundExecutor>(schedule, WorkerId{self}, weights, values),
                        peers);
    if (wrong.empty() && values != expected) wrong = fmt::format("round {}: wrong sum", round);
  }
  write_line(up, wrong.empty() ? fmt::format("ok {}", to_seconds(posix::now() - start)) : wrong);
  // The process waits until all are done.
  static_cast<void>(read_line(down));
  return 0;
}

TEST_P(TransportRules, FourProcessesReduceToTheSameBits) {
  constexpr std::uint32_t kCount = 4;
  std::vector<std::unique_ptr<Child>> children;
  for (std::uint32_t w = 0; w < kCount; ++w) {
    children.push_back(std::make_unique<Child>(
        [w](int down, int up) { return reduce_with_others(make(), w, kCount, down, up); }));
  }
  std::vector<std::string> addresses;
  for (auto& child : children) addresses.push_back(read_line(child->from()));
  for (auto& child : children) {
    for (const auto& address : addresses) write_line(child->to(), address);
  }
  for (auto& child : children) {
    const std::string outcome = read_line(child->from());
    EXPECT_THAT(outcome, StartsWith("ok "));
    std::printf("7 rounds of 4 MB: %s s\n", outcome.c_str());
  }
  for (auto& child : children) write_line(child->to(), "done");
  for (auto& child : children) EXPECT_EQ(child->exit_code(), 0);
}

}  // namespace transport_rules_posix_test
}  // namespace surety::fabric
