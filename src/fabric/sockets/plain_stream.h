// A connection over a plain socket: for Unix sockets, which only their owner can reach.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "fabric/sockets/byte_stream.h"

namespace surety::fabric {

class PlainStream final : public ByteStream {
 public:
  // REQUIRES: a stream socket that does not block.
  explicit PlainStream(posix::Fd fd) : fd_(std::move(fd)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> to) override;
  [[nodiscard]] Result<std::size_t> write(std::span<const std::byte> head,
                                          std::span<const std::byte> body) override;
  [[nodiscard]] bool waits_to_write() const override { return waits_; }
  [[nodiscard]] int fd() const override { return fd_.get(); }

 private:
  posix::Fd fd_;
  bool waits_ = false;
};

// The calls of both kinds of streams on their sockets. Return 0 if the call would block.
// Unavailable: the connection has ended or is broken.
[[nodiscard]] Result<std::size_t> receive_some(int fd, std::span<std::byte> to);
[[nodiscard]] Result<std::size_t> send_some(int fd, std::span<const std::byte> head,
                                            std::span<const std::byte> body);

}  // namespace surety::fabric
