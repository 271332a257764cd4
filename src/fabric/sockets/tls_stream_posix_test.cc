#include "fabric/sockets/tls_stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "fabric/sockets/transport_testing.h"

namespace surety::fabric {
namespace tls_stream_posix_test {

using ::testing::HasSubstr;
using transport_testing::pattern;
using Bytes = std::vector<std::byte>;

// The two ends of a connection that does not block.
std::array<posix::Fd, 2> ends() {
  int fds[2];
  SURETY_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
  return {posix::Fd(fds[0]), posix::Fd(fds[1])};
}

// Sends `message` from one to the other, and returns the bytes that arrived and the first error of
// either.
struct Outcome {
  Bytes arrived;
  std::string error;
};
Outcome send_through(ByteStream& from, ByteStream& to, const Bytes& message) {
  Outcome outcome;
  std::size_t sent = 0;
  Bytes part(100'000);
  while (outcome.arrived.size() < message.size()) {
    const auto taken = from.write(std::span(message).subspan(sent), {});
    // The sender also reads, because the handshake has two sides.
    const auto back = from.read(part);
    const auto came = to.read(part);
    for (const auto* result : {&taken, &back, &came}) {
      if (!*result) outcome.error += result->error().message;
    }
    if (!outcome.error.empty()) return outcome;
    sent += *taken;
    outcome.arrived.insert(outcome.arrived.end(), part.begin(),
                           part.begin() + static_cast<std::ptrdiff_t>(*came));
  }
  return outcome;
}

TEST(TlsStream, BytesArriveThroughMoreThanOneTrafficKey) {
  const auto context = TlsContext::make(tls_key_of("token"), 1 << 20).value();
  auto [left, right] = ends();
  TlsStream caller(std::move(left), *context, false);
  TlsStream called(std::move(right), *context, true);
  const Bytes message = pattern((4 << 20) + 100'000, 1);
  for (const auto& [from, to] : {std::pair{&caller, &called}, std::pair{&called, &caller}}) {
    const Outcome outcome = send_through(*from, *to, message);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.arrived, message);
  }
}

TEST(TlsStream, AChangedByteIsFound) {
  const auto context = TlsContext::make(tls_key_of("token")).value();
  auto [left, one] = ends();
  auto [two, right] = ends();
  TlsStream caller(std::move(left), *context, false);
  TlsStream called(std::move(right), *context, true);
  const Bytes message = pattern(1000, 1);
  bool is_open = false;
  std::string error;
  Bytes room(100'000);
  // An attacker between the two passes all bytes on, and changes a byte once messages are sent.
  const auto pass_on = [&](int from, int to, bool changes) {
    const ssize_t count = ::recv(from, room.data(), room.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    if (changes) room[static_cast<std::size_t>(count) / 2] ^= std::byte{1};
    SURETY_CHECK(::send(to, room.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count);
  };
  for (int i = 0; i < 1000 && error.empty(); ++i) {
    const auto taken = caller.write(message, {});
    ASSERT_TRUE(taken);
    pass_on(one.get(), two.get(), is_open);
    const auto came = called.read(room);
    if (!came) error = came.error().message;
    if (came && *came > 0) is_open = true;
    pass_on(two.get(), one.get(), false);
    static_cast<void>(caller.read(room));
  }
  EXPECT_THAT(error, HasSubstr("the received bytes were changed in transit"));
}

// A server of OpenSSL that accepts any caller and answers with its own certificate.
class CertificateServer {
 public:
  explicit CertificateServer(posix::Fd fd)
      : fd_(std::move(fd)), context_(SSL_CTX_new(TLS_server_method())) {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -1000);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 1000);
    X509_set_pubkey(certificate, key);
    SURETY_CHECK(X509_sign(certificate, key, EVP_sha256()) > 0);
    SURETY_CHECK(SSL_CTX_use_certificate(context_, certificate) == 1);
    SURETY_CHECK(SSL_CTX_use_PrivateKey(context_, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_.get());
    SSL_set_accept_state(ssl_);
  }
  CertificateServer(const CertificateServer&) = delete;
  CertificateServer& operator=(const CertificateServer&) = delete;
  ~CertificateServer() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  // Bytes that the caller has written to the stream.
  std::size_t read() {
    Bytes room(4096);
    const int count = SSL_read(ssl_, room.data(), static_cast<int>(room.size()));
    return static_cast<std::size_t>(std::max(count, 0));
  }

 private:
  posix::Fd fd_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
};

TEST(TlsStream, AServerWithACertificateButWithoutTheKeyGetsNothing) {
  const auto context = TlsContext::make(tls_key_of("token")).value();
  auto [left, right] = ends();
  TlsStream caller(std::move(left), *context, false);
  CertificateServer server(std::move(right));
  const Bytes message = pattern(1000, 1);
  Bytes room(100);
  std::string error;
  for (int i = 0; i < 1000 && error.empty(); ++i) {
    const auto taken = caller.write(message, {});
    if (!taken) error = taken.error().message;
    EXPECT_EQ(taken.value_or(0), 0u);
    EXPECT_EQ(server.read(), 0u);
    if (const auto came = caller.read(room); !came) error = came.error().message;
  }
  EXPECT_THAT(error, HasSubstr("the other side does not have this run's key"));
  EXPECT_EQ(server.read(), 0u);
}

TEST(TlsStream, ADifferentKeyIsRefusedOnBothSides) {
  const auto one = TlsContext::make(tls_key_of("token")).value();
  const auto other = TlsContext::make(tls_key_of("tokem")).value();
  auto [left, right] = ends();
  TlsStream caller(std::move(left), *one, false);
  TlsStream called(std::move(right), *other, true);
  const Bytes message = pattern(1000, 1);
  Bytes room(100);
  std::string of_caller;
  std::string of_called;
  for (int i = 0; i < 1000 && (of_caller.empty() || of_called.empty()); ++i) {
    if (const auto taken = caller.write(message, {}); !taken) of_caller = taken.error().message;
    if (const auto came = called.read(room); !came) of_called = came.error().message;
  }
  EXPECT_THAT(of_called, HasSubstr("does not have this run's key"));
  EXPECT_THAT(of_caller, HasSubstr("does not have this run's key"));
}

TEST(TlsKey, DependsOnTheWholeTokenOnly) {
  EXPECT_EQ(tls_key_of("token"), tls_key_of("token"));
  EXPECT_NE(tls_key_of("token"), tls_key_of("token "));
  EXPECT_NE(tls_key_of(""), tls_key_of("token"));
}

}  // namespace tls_stream_posix_test
}  // namespace surety::fabric
