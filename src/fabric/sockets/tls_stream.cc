#include "fabric/sockets/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "fabric/sockets/plain_stream.h"

namespace surety::fabric {
namespace {

// Both ciphers have the same hash, so that one key fits both. The second one is for processors
// without instructions for AES.
constexpr const char* kCiphers = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
constexpr std::uint8_t kKeyCipher[] = {0x13, 0x01};  // TLS_AES_128_GCM_SHA256
constexpr std::string_view kIdentity = "surety";
// The largest number of bytes of content in a record of TLS.
constexpr std::size_t kRecordBytes = 16 << 10;
// Encrypted bytes that are collected for one call of the kernel: a later message waits for them.
constexpr std::size_t kOutBytes = 32 << 10;
// Encrypted bytes that are received by one call.
constexpr std::size_t kInBytes = 128 << 10;
// Before the other side has proved that it has the key, it costs no more memory than this.
constexpr std::size_t kInBytesAtFirst = 4 << 10;

constexpr const char* kNoKey =
    "no TLS connection could be made: the other side does not have this run's key";

// The index of the TlsContext in its SSL_CTX.
int context_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

const TlsContext& context_of(const SSL* ssl) {
  return *static_cast<const TlsContext*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()));
}

// The pre-shared key in the form that OpenSSL requires. Null if there is no memory.
SSL_SESSION* session_of(SSL* ssl) {
  const TlsKey& key = context_of(ssl).key();
  SSL_SESSION* const session = SSL_SESSION_new();
  if (session == nullptr) return nullptr;
  const SSL_CIPHER* const cipher = SSL_CIPHER_find(ssl, kKeyCipher);
  if (cipher != nullptr &&
      SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(key.data()),
                                  key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, cipher) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1) {
    return session;
  }
  SSL_SESSION_free(session);
  return nullptr;
}

int use_session(SSL* ssl, const EVP_MD* hash, const unsigned char** identity, std::size_t* length,
                SSL_SESSION** session) {
  *session = nullptr;
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *length = kIdentity.size();
  // The other side may have asked for another hash, which this key does not have.
  if (hash != nullptr && EVP_MD_get_type(hash) != NID_sha256) return 1;
  *session = session_of(ssl);
  return *session != nullptr ? 1 : 0;
}

int find_session(SSL* ssl, const unsigned char* identity, std::size_t length,
                 SSL_SESSION** session) {
  *session = nullptr;
  if (length != kIdentity.size() || std::memcmp(identity, kIdentity.data(), length) != 0) return 1;
  *session = session_of(ssl);
  return *session != nullptr ? 1 : 0;
}

int write_bio(BIO* bio, const char* bytes, int count) {
  BIO_clear_retry_flags(bio);
  auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
  stream.put_output(std::as_bytes(std::span(bytes, static_cast<std::size_t>(std::max(count, 0)))));
  return count;
}

int read_bio(BIO* bio, char* bytes, int count) {
  BIO_clear_retry_flags(bio);
  auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
  const std::size_t taken = stream.take_input(
      std::as_writable_bytes(std::span(bytes, static_cast<std::size_t>(std::max(count, 0)))));
  if (taken > 0) return static_cast<int>(taken);
  BIO_set_retry_read(bio);
  return -1;
}

// OpenSSL flushes after each flight of the handshake. Everything is sent by send_out().
long control_bio(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* bio_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "surety");
    SURETY_CHECK(made != nullptr);
    BIO_meth_set_write(made, write_bio);
    BIO_meth_set_read(made, read_bio);
    BIO_meth_set_ctrl(made, control_bio);
    return made;
  }();
  return method;
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::make(const TlsKey& key,
                                                     std::uint64_t bytes_per_key) {
  std::unique_ptr<TlsContext> context(
      new TlsContext(SSL_CTX_new(TLS_method()), key, bytes_per_key));
  SSL_CTX* const ssl = context->get();
  if (ssl == nullptr || SSL_CTX_set_min_proto_version(ssl, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(ssl, kCiphers) != 1 || SSL_CTX_set_num_tickets(ssl, 0) != 1 ||
      SSL_CTX_set_ex_data(ssl, context_index(), context.get()) != 1) {
    return fail(ErrorCode::kDefect, "OpenSSL refuses the settings of TLS 1.3");
  }
  SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_psk_use_session_callback(ssl, use_session);
  SSL_CTX_set_psk_find_session_callback(ssl, find_session);
  return context;
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
  OPENSSL_cleanse(key_.data(), key_.size());
}

TlsStream::TlsStream(posix::Fd fd, const TlsContext& context, bool accepts)
    : fd_(std::move(fd)), context_(context), ssl_(SSL_new(context.get())) {
  SURETY_CHECK(ssl_ != nullptr);
  BIO* const bio = BIO_new(bio_method());
  SURETY_CHECK(bio != nullptr);
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);  // Takes the BIO, which is counted once.
  if (accepts) {
    SSL_set_accept_state(ssl_);
  } else {
    SSL_set_connect_state(ssl_);
    // No certificate authority is trusted, so that every server with a certificate is refused.
    SSL_set_verify(ssl_, SSL_VERIFY_PEER, nullptr);
  }
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

std::size_t TlsStream::take_input(std::span<std::byte> to) {
  if (in_read_ == in_filled_ && !socket_error_) {
    in_.resize(has_key_ ? kInBytes : kInBytesAtFirst);
    const Result<std::size_t> came = receive_some(fd(), in_);
    in_filled_ = came.value_or(0);
    in_read_ = 0;
    if (!came) socket_error_ = came.error();
  }
  const std::size_t taken = std::min(to.size(), in_filled_ - in_read_);
  std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(in_read_), taken, to.begin());
  in_read_ += taken;
  return taken;
}

void TlsStream::put_output(std::span<const std::byte> from) {
  // The limit is kept by encrypt(). In addition to a record, OpenSSL may send one that replaces a
  // key.
  out_.insert(out_.end(), from.begin(), from.end());
}

Result<bool> TlsStream::shake_hands() {
  if (has_key_) return true;
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_);
  const std::optional<Error> why = done == 1 ? std::nullopt : failure(SSL_get_error(ssl_, done));
  // So the other side gets the reason for the refusal.
  const Result<void> sent = send_out();
  if (why) return tl::unexpected(*why);
  if (!sent) return tl::unexpected(sent.error());
  if (done != 1) return false;
  // Without the key there could be a handshake with a certificate.
  if (SSL_session_reused(ssl_) != 1) {
    return fail(ErrorCode::kCorrupt, "{}", kNoKey);
  }
  has_key_ = true;
  return true;
}

Result<std::size_t> TlsStream::read(std::span<std::byte> to) {
  SURETY_TRY(const bool is_ready, shake_hands());
  if (!is_ready) return 0;
  ERR_clear_error();
  std::size_t bytes = 0;
  const int done = SSL_read_ex(ssl_, to.data(), to.size(), &bytes);
  if (done == 1) return bytes;
  if (const auto why = failure(SSL_get_error(ssl_, done))) return tl::unexpected(*why);
  return 0;
}

Result<std::size_t> TlsStream::write(std::span<const std::byte> head,
                                     std::span<const std::byte> body) {
  SURETY_TRY(const bool is_ready, shake_hands());
  if (!is_ready) return 0;
  std::size_t taken = 0;
  for (const std::span<const std::byte> part : {head, body}) {
    SURETY_TRY(const std::size_t bytes, encrypt(part));
    taken += bytes;
    if (bytes < part.size()) return taken;  // The socket does not accept more bytes.
  }
  SURETY_TRY(send_out());
  return taken;
}

// ENSURES: waits_to_write() if not all of it was taken.
Result<std::size_t> TlsStream::encrypt(std::span<const std::byte> from) {
  std::size_t taken = 0;
  while (taken < from.size()) {
    if (out_.size() >= kOutBytes) {
      SURETY_TRY(send_out());
      if (!out_.empty()) break;
    }
    ERR_clear_error();
    std::size_t bytes = 0;
    const std::span<const std::byte> part =
        from.subspan(taken, std::min(kRecordBytes, from.size() - taken));
    const int done = SSL_write_ex(ssl_, part.data(), part.size(), &bytes);
    if (done != 1) {
      const auto why = failure(SSL_get_error(ssl_, done));
      return tl::unexpected(
          why.value_or(Error{ErrorCode::kDefect, "OpenSSL does not accept a record"}));
    }
    taken += bytes;
    since_update_ += bytes;
    if (since_update_ >= context_.bytes_per_key()) {
      since_update_ = 0;
      SURETY_CHECK(SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    }
  }
  return taken;
}

Result<void> TlsStream::send_out() {
  while (out_sent_ < out_.size()) {
    SURETY_TRY(const std::size_t bytes, send_some(fd(), std::span(out_).subspan(out_sent_), {}));
    if (bytes == 0) return {};
    out_sent_ += bytes;
  }
  out_.clear();
  out_sent_ = 0;
  return {};
}

std::optional<Error> TlsStream::failure(int code) const {
  if (code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE) return socket_error_;
  if (code == SSL_ERROR_ZERO_RETURN) {
    return Error{ErrorCode::kUnavailable, "the other side has closed the connection"};
  }
  const char* const reason = ERR_reason_error_string(ERR_peek_error());
  const std::string text = reason == nullptr ? "no reason" : reason;
  if (has_key_) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the received bytes were changed in transit ({})", text)};
  }
  return Error{ErrorCode::kCorrupt, fmt::format("{} ({})", kNoKey, text)};
}

}  // namespace surety::fabric
