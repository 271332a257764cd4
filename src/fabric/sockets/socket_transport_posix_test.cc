#include "fabric/sockets/socket_transport.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/checksum.h"
#include "base/posix/fd.h"
#include "base/posix/net/socket_address.h"
#include "fabric/sockets/transport_testing.h"
#include "fabric/transport/wire.h"

namespace surety::fabric {

namespace socket_transport_posix_test {

using namespace transport_testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Made = std::unique_ptr<WakeableTransport>;

constexpr TransportOptions kOptions{.secret = kSecret};

Made local() {
  return make_socket_transport({.transport = kOptions, .key = tls_key_of("token")}).value();
}
Made remote(const std::string& token = "token") {
  return make_socket_transport(
             {.transport = kOptions, .key = tls_key_of(token), .network = NetworkOptions{}})
      .value();
}
// The path in a Unix address.
std::string path_of(const Transport& transport) { return transport.address().substr(5); }

// A client that may send any bytes. It is connected when it is made.
class RawClient {
 public:
  explicit RawClient(const std::string& address) {
    sockaddr_storage target{};
    socklen_t length = 0;
    if (address.starts_with("unix:")) {
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      std::strncpy(to.sun_path, address.c_str() + 5, sizeof(to.sun_path) - 1);
      std::memcpy(&target, &to, sizeof(to));
      length = sizeof(to);
    } else {
      const auto to = posix::parse_socket_address(address).value();
      target = to.storage;
      length = to.length;
    }
    fd_ = posix::Fd(::socket(target.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    is_connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&target), length) == 0;
  }
  [[nodiscard]] bool is_connected() const { return is_connected_; }
  void send(std::span<const std::byte> bytes) const {
    static_cast<void>(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  // Whether the other side has read everything. REQUIRES: a local socket.
  [[nodiscard]] bool is_all_read() const {
    int bytes = 0;
    return ::ioctl(fd_.get(), SIOCOUTQ, &bytes) == 0 && bytes == 0;
  }
  // The other side has closed the connection.
  [[nodiscard]] bool is_cut_off() const {
    std::array<std::byte, 4096> bytes{};
    while (true) {
      const ssize_t got = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0) continue;
      return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    }
  }

 private:
  posix::Fd fd_;
  bool is_connected_ = false;
};

FrameHeader hello(std::uint64_t secret = kSecret) {
  return {.kind = FrameKind::kHello,
          .tag = {.round = secret, .sender = 1, .step = 2},
          .payload_checksum = checksum({})};
}

// Polls the transport until the client is cut off.
::testing::AssertionResult is_cut_off(const Made& transport, const RawClient& client,
                                      Events& events) {
  std::vector<Events> all(1);
  auto result = pump({transport.get()}, all, [&] { return client.is_cut_off(); });
  events = std::move(all[0]);
  return result;
}

TEST(SocketTransport, ItsAddressHasTheFormThatItIsCalledBy) {
  auto a = local();
  auto b = remote();
  for (const char* address : {"", "localhost:1", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"}) {
    const auto peer = b->connect(address);
    ASSERT_FALSE(peer) << address;
    EXPECT_EQ(peer.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(peer.error().message, StartsWith(fmt::format("address '{}'", address)));
  }
  for (const std::string& address : {std::string("unix:"), "unix:/" + std::string(200, 'x')}) {
    ASSERT_FALSE(a->connect(address)) << address;
    EXPECT_THAT(a->connect(address).error().message, HasSubstr("expected unix:PATH"));
  }
  const auto on = [](const std::string& listen, std::optional<std::string> advertise = {}) {
    return make_socket_transport({.network = NetworkOptions{listen, std::move(advertise)}});
  };
  EXPECT_EQ(on("0.0.0.0:0").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(on("0.0.0.0:0", "[0::0]").error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(on("0.0.0.0:0", "127.0.0.1"));
  EXPECT_EQ(on(b->address()).error().code, ErrorCode::kInvalidInput);
}

TEST(SocketTransport, BothKindsOnOneMachineReachEachOther) {
  auto a = local();
  auto b = remote();
  const auto message = pattern(300'000, 1);
  std::vector<Events> events(2);
  ASSERT_TRUE(a->send(*a->connect(b->address()), {.step = 1}, message));
  ASSERT_TRUE(b->send(*b->connect(a->address()), {.step = 2}, message));
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] {
    return events[0].received.size() == 1 && events[1].received.size() == 1;
  }));
  EXPECT_EQ(events[0].received[0].bytes, message);
  EXPECT_EQ(events[1].received[0].bytes, message);
}

TEST(SocketTransport, OnOneMachineNoPortIsOpen) {
  auto a = local();
  EXPECT_TRUE(listening_addresses().empty());
  struct stat found {};
  const std::filesystem::path path = path_of(*a);
  ASSERT_EQ(::stat(path.parent_path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0700u);
  a.reset();
  EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
}

TEST(SocketTransport, AnotherUserDoesNotReachIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto a = local();
  const std::filesystem::path folder = std::filesystem::path(path_of(*a)).parent_path();
  const auto connects = [&] {
    Child other([&](int, int) {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 2;
      const RawClient client(a->address());
      if (!client.is_connected()) return 1;
      client.send(encode_frame(hello()));
      while (!client.is_cut_off()) ::usleep(1000);
      return 0;
    });
    std::vector<Events> events(1);
    const auto ended = pump({a.get()}, events, [&] { return other.has_ended(); });
    EXPECT_TRUE(ended);
    if (!ended) other.kill();  // Its end would be waited for without limit.
    EXPECT_TRUE(events[0].received.empty());
    return other.exit_code();
  };
  EXPECT_EQ(connects(), 1);  // The folder cannot be entered.
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  std::filesystem::permissions(path_of(*a), std::filesystem::perms::all);
  // It can be entered now, and the transport closes the caller's connection.
  EXPECT_EQ(connects(), 0);
}

TEST(SocketTransport, OnlyTheSameTokenConnects) {
  auto a = remote("token");
  auto b = remote("another token");
  const auto message = pattern(1000, 1);
  const PeerId peer = *a->connect(b->address());
  ASSERT_TRUE(a->send(peer, {}, message));
  std::vector<Events> events(2);
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[0].lost.size() == 1; }));
  EXPECT_THAT(events[0].lost[0].reason, HasSubstr("no TLS connection could be made"));
  EXPECT_TRUE(events[1].received.empty());
  EXPECT_TRUE(events[1].lost.empty());  // It never was a peer.
}

// Frames without TLS, other protocols, and noise.
TEST(SocketTransport, ACallerWithoutTlsIsCutOff) {
  auto a = remote();
  std::vector<std::vector<std::byte>> openings{pattern(4096, 7)};
  const FrameHeaderBytes plain = encode_frame(hello());
  openings.emplace_back(plain.begin(), plain.end());
  const std::string http = "GET / HTTP/1.1\r\nHost: surety\r\n\r\n";
  openings.emplace_back();
  for (const char c : http) openings.back().push_back(static_cast<std::byte>(c));
  for (const auto& opening : openings) {
    const RawClient client(a->address());
    client.send(opening);
    Events events;
    EXPECT_TRUE(is_cut_off(a, client, events));
    EXPECT_TRUE(events.received.empty());
    EXPECT_TRUE(events.lost.empty());
  }
}

TEST(SocketTransport, WhatBreaksTheRulesOfFramesIsCutOff) {
  const auto message = [](std::uint64_t sequence, std::span<const std::byte> payload) {
    return FrameHeader{.sequence = sequence,
                       .payload_bytes = payload.size(),
                       .payload_checksum = checksum(payload)};
  };
  const auto payload = pattern(100, 3);
  struct Case {
    std::string what;
    std::vector<FrameHeader> frames;  // All frames except a hello have the payload.
    std::string why;                  // Empty: it never was a peer.
  };
  FrameHeader too_long = message(1, payload);
  too_long.payload_bytes = 1ull << 40;
  FrameHeader damaged = message(1, payload);
  ++damaged.payload_checksum;
  FrameHeader second = hello();
  second.sequence = 1;
  FrameHeader late = hello();
  late.sequence = 5;
  const std::vector<Case> cases{
      {"wrong secret", {hello(1)}, ""},
      {"no hello", {message(0, payload)}, ""},
      {"hello with another number", {late}, ""},
      {"second hello", {hello(), second}, "received a second Hello"},
      {"gap", {hello(), message(2, payload)}, "frame 2: expected frame 1"},
      {"repetition", {hello(), message(1, payload), message(1, payload)}, "frame 1: expected fr"},
      {"too long", {hello(), too_long}, "announces 1099511627776 bytes"},
      {"damaged", {hello(), damaged}, "the checksum of its payload is wrong"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    auto a = local();
    const RawClient client(a->address());
    for (const FrameHeader& frame : one.frames) {
      client.send(encode_frame(frame));
      if (frame.kind == FrameKind::kMessage) client.send(payload);
    }
    Events events;
    EXPECT_TRUE(is_cut_off(a, client, events));
    EXPECT_EQ(events.lost.size(), one.why.empty() ? 0u : 1u);
    if (!events.lost.empty()) EXPECT_THAT(events.lost[0].reason, HasSubstr(one.why));
  }
}

TEST(SocketTransport, ATransportThatIsConnectedToItselfSaysSo) {
  auto a = local();
  const PeerId peer = *a->connect(a->address());
  std::vector<Events> events(1);
  ASSERT_TRUE(pump({a.get()}, events, [&] { return events[0].lost.size() == 1; }));
  EXPECT_EQ(events[0].lost[0].peer, peer);
}

// Silent callers cost little, and do not prevent other connections.
TEST(SocketTransport, OfManySilentCallersTheOldestAreCutOff) {
  auto a = local();
  std::vector<std::unique_ptr<RawClient>> silent;
  std::vector<Events> events(1);
  for (int i = 0; i < 600; ++i) {
    silent.push_back(std::make_unique<RawClient>(a->address()));
    ASSERT_TRUE(silent.back()->is_connected());
    static_cast<void>(a->poll({}));
  }
  ASSERT_TRUE(pump({a.get()}, events, [&] { return silent.front()->is_cut_off(); }));
  EXPECT_FALSE(silent.back()->is_cut_off());
  auto b = local();
  events.resize(2);
  ASSERT_TRUE(b->send(*b->connect(a->address()), {}, {}));
  ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[0].received.size() == 1; }));
}

// Bytes that the other side sent before it closed the connection are received, although sending
// fails first.
TEST(SocketTransport, TheLastMessageOfAPeerThatHasGoneArrives) {
  for (const auto& make : {std::function(local), std::function([] { return remote(); })}) {
    auto a = make();
    auto b = make();
    const auto message = pattern(10'000, 1);  // It fits into the socket of the recipient.
    std::vector<Events> events(2);
    const PeerId to_b = *a->connect(b->address());
    ASSERT_TRUE(a->send(to_b, {}, {}));
    ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[1].received.size() == 1; }));
    const PeerId to_a = events[1].received[0].peer;
    ASSERT_TRUE(b->send(to_a, {}, {}));
    ASSERT_TRUE(pump({a.get(), b.get()}, events, [&] { return events[0].received.size() == 1; }));
    ASSERT_TRUE(a->send(to_b, {}, message));
    ASSERT_TRUE(pump({a.get()}, events, [&] { return events[0].sent.size() == 2; }));
    a.reset();
    static_cast<void>(b->send(to_a, {}, message));
    std::vector<Events> last(1);
    ASSERT_TRUE(pump({b.get()}, last, [&] { return last[0].lost.size() == 1; }));
    ASSERT_EQ(last[0].received.size(), 1u) << b->address() << ": " << last[0].lost[0].reason;
    EXPECT_EQ(last[0].received[0].bytes, message);
  }
}

TEST(SocketTransport, ItsFolderIsNeverRelative) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* folder : {".", "/nowhere/at/all"}) {
    ::setenv("TMPDIR", folder, 1);
    EXPECT_THAT(local()->address(), StartsWith("unix:/tmp/surety-"));
  }
  kept.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

// If no more files can be opened for callers, the transport refuses them, and does not use CPU time
// in a loop.
TEST(SocketTransport, CallersAreRefusedWhenNoMoreFilesMayBeOpened) {
  auto a = local();
  Child caller([address = a->address()](int, int) {
    const RawClient client(address);
    if (!client.is_connected()) return 1;
    while (!client.is_cut_off()) ::usleep(1000);
    return 0;
  });
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<posix::Fd> taken;
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) taken.emplace_back(fd);
  std::vector<Events> events(1);
  const auto done = pump({a.get()}, events, [&] { return caller.has_ended(); });
  taken.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(done);
  EXPECT_EQ(caller.exit_code(), 0);
}

// An announcement alone uses no memory.
TEST(SocketTransport, MemoryIsUsedAsFastAsBytesArrive) {
  const auto resident_kib = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0l;
  };
  auto a = local();
  std::vector<std::unique_ptr<RawClient>> clients;
  const long before = resident_kib();
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(a->address()));
    FrameHeader large{.sequence = 1, .payload_bytes = 256 << 20};
    clients.back()->send(encode_frame(hello()));
    clients.back()->send(encode_frame(large));
    clients.back()->send(pattern(1000, 1));
  }
  std::vector<Events> events(1);
  ASSERT_TRUE(pump({a.get()}, events, [&] {
    return std::ranges::all_of(clients, [](const auto& client) { return client->is_all_read(); });
  }));
  EXPECT_LT(resident_kib() - before, 200 << 10);  // 2 GiB were announced.
}

}  // namespace socket_transport_posix_test
}  // namespace surety::fabric
