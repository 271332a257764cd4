// A connection under TLS 1.3. Both sides prove that they have the same key, and no third party can
// read or change a byte.
//
// The key is a pre-shared one (RFC 8446, 2.2) together with an ephemeral exchange: an attacker who
// gets the key later cannot read data that were sent before. There are no certificates, no session
// tickets and no early data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/sockets/byte_stream.h"
#include "fabric/sockets/tls_key.h"

// These are SSL_CTX and SSL of OpenSSL.
struct ssl_ctx_st;
struct ssl_st;

namespace surety::fabric {

// The data that all connections with one key share.
class TlsContext {
 public:
  // Defect: OpenSSL refuses the settings.
  // `bytes_per_key`: after this number of bytes in a direction, the traffic key of this direction
  // is replaced.
  [[nodiscard]] static Result<std::unique_ptr<TlsContext>> make(
      const TlsKey& key, std::uint64_t bytes_per_key = kBytesPerKey);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  [[nodiscard]] ssl_ctx_st* get() const { return context_; }
  [[nodiscard]] const TlsKey& key() const { return key_; }
  [[nodiscard]] std::uint64_t bytes_per_key() const { return bytes_per_key_; }

 private:
  // AES-GCM allows some 2^24 full records with one key (RFC 8446, 5.5), which is 256 GiB.
  static constexpr std::uint64_t kBytesPerKey = 64ull << 30;

  TlsContext(ssl_ctx_st* context, const TlsKey& key, std::uint64_t bytes_per_key)
      : context_(context), key_(key), bytes_per_key_(bytes_per_key) {}

  ssl_ctx_st* context_;
  TlsKey key_;
  std::uint64_t bytes_per_key_;
};

class TlsStream final : public ByteStream {
 public:
  // `accepts`: this side was called. The handshake is part of the first reads and writes, and no
  // byte is given to the other side before it has proved that it has the key. `context`
  // must outlive the stream. REQUIRES: a stream socket that does not block.
  TlsStream(posix::Fd fd, const TlsContext& context, bool accepts);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> to) override;
  [[nodiscard]] Result<std::size_t> write(std::span<const std::byte> head,
                                          std::span<const std::byte> body) override;
  [[nodiscard]] bool waits_to_write() const override { return out_sent_ < out_.size(); }
  [[nodiscard]] int fd() const override { return fd_.get(); }

  // The two ends of OpenSSL's input and output, which it calls back.
  [[nodiscard]] std::size_t take_input(std::span<std::byte> to);
  void put_output(std::span<const std::byte> from);

 private:
  // Returns whether the handshake is over.
  [[nodiscard]] Result<bool> shake_hands();
  [[nodiscard]] Result<std::size_t> encrypt(std::span<const std::byte> from);
  [[nodiscard]] Result<void> send_out();
  // The reason for which OpenSSL returned no result. After an error, no bytes can be read or
  // written any more. If there is no error, OpenSSL waits for the socket.
  [[nodiscard]] std::optional<Error> failure(int code) const;

  posix::Fd fd_;
  const TlsContext& context_;
  ssl_st* ssl_;
  bool has_key_ = false;               // The other side has proved that it has the key.
  std::vector<std::byte> in_;          // Room for encrypted bytes from the socket.
  std::size_t in_filled_ = 0;          // Bytes in in_ that the socket has delivered.
  std::size_t in_read_ = 0;            // Bytes of these that OpenSSL has taken.
  std::vector<std::byte> out_;         // Encrypted bytes that must be sent.
  std::size_t out_sent_ = 0;           // Number of bytes of out_ that the socket has taken.
  std::optional<Error> socket_error_;  // The socket cannot be read any more.
  std::uint64_t since_update_ = 0;     // Bytes sent with the present traffic key.
};

}  // namespace surety::fabric
