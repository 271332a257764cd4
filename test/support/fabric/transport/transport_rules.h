// What every transport of real processes must do, as tests. A test program instantiates them with
// INSTANTIATE_TEST_SUITE_P for the transports that it has.
//
// A parent makes its transports after forking, so that no child inherits one.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/posix/wait_testing.h"
#include "base/random.h"
#include "fabric/allreduce/round.h"
#include "fabric/transport/transport.h"

namespace surety::fabric::transport_rules {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t kSecret = 0x5eca5eca5eca5ecaull;

struct TransportKind {
  std::string name;
  std::function<Result<std::unique_ptr<WakeableTransport>>(const TransportOptions&)> make;
};

class TransportRules : public ::testing::TestWithParam<TransportKind> {
 protected:
  [[nodiscard]] static std::unique_ptr<WakeableTransport> make(std::uint64_t secret = kSecret,
                                                               std::uint64_t bytes_max = 1 << 30) {
    auto made = GetParam().make({.message_bytes_max = bytes_max, .secret = secret});
    SURETY_CHECK(made.has_value());
    return std::move(*made);
  }
};

inline std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> made(bytes);
  for (auto& b : made) b = static_cast<std::byte>(random.next());
  return made;
}

// The events that each transport has returned.
struct Events {
  std::vector<Received> received;
  std::vector<std::uint64_t> sent;
  std::vector<PeerLost> lost;
};

// Polls all transports in turn until `done`.
inline ::testing::AssertionResult pump(const std::vector<Transport*>& transports,
                                       std::vector<Events>& events,
                                       const std::function<bool()>& done) {
  events.resize(transports.size());
  const auto poll_all = [&] {
    for (std::size_t i = 0; i < transports.size(); ++i) {
      for (auto& event : transports[i]->poll(std::chrono::milliseconds(1))) {
        if (auto* received = std::get_if<Received>(&event)) {
          events[i].received.push_back(std::move(*received));
        } else if (const auto* sent = std::get_if<Sent>(&event)) {
          events[i].sent.push_back(sent->ticket);
        } else {
          events[i].lost.push_back(std::get<PeerLost>(event));
        }
      }
    }
  };
  return posix::wait_until({.what = "events of transports",
                            .holds =
                                [&] {
                                  if (done()) return true;
                                  poll_all();
                                  return false;
                                },
                            .pause = {}});
}

TEST_P(TransportRules, ShortAndLongMessagesArriveWholeAndInOrder) {
  auto a = make();
  auto b = make();
  // The long message comes first; the short ones after it overtake it on the way.
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

// Returns the IPv4 addresses, in the kernel's hexadecimal form, on which this process listens.
inline std::vector<std::string> listening_addresses() {
  std::set<std::string> ours;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) ours.insert(target.substr(8, target.size() - 9));
  }
  std::vector<std::string> addresses;
  std::ifstream table("/proc/self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    const bool listens = word.size() > 9 && word[3] == "0A";
    if (listens && ours.contains(word[9])) addresses.push_back(word[1].substr(0, 8));
  }
  return addresses;
}

// A child process that runs its own transport. It is killed when the test ends if it has not ended
// by itself.
class Child {
 public:
  // `body` gets the ends of two pipes: one to read from the parent, and one to write to it.
  explicit Child(const std::function<int(int, int)>& body) {
    int down[2];
    int up[2];
    SURETY_CHECK(::pipe(down) == 0 && ::pipe(up) == 0);
    pid_ = ::fork();
    SURETY_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::close(down[1]);
      ::close(up[0]);
      ::_exit(body(down[0], up[1]));
    }
    ::close(down[0]);
    ::close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  ~Child() {
    kill();
    ::close(to_);
    ::close(from_);
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int exit_code() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] int from() const { return from_; }
  [[nodiscard]] int to() const { return to_; }

 private:
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

inline void write_line(int fd, const std::string& line) {
  const std::string text = line + "\n";
  SURETY_CHECK(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}
inline std::string read_line(int fd) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
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
  // The address of the present transport, which the callers read. It may be half written: then a
  // caller calls nobody.
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

inline std::vector<float> contribution_of(std::uint32_t worker) {
  Random random(worker + 1);
  std::vector<float> values(kElements);
  for (auto& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

// Runs one round of worker `self`. Returns an empty string, or what went wrong.
inline std::string reduce_once(Rounds& rounds, std::uint64_t round,
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

// Worker `self` of `count`: it writes its address, reads all addresses, reduces, and writes how
// long that took or what went wrong.
inline int reduce_with_others(std::unique_ptr<WakeableTransport> transport, std::uint32_t self,
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
  // The process stays until all are done, and does nothing more for them.
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

}  // namespace surety::fabric::transport_rules
