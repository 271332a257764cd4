// The bytes of one connection. No call waits.
#pragma once

#include <cstddef>
#include <span>

#include "base/posix/fd.h"
#include "base/result.h"

namespace surety::fabric {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Returns the number of bytes that were read, or 0 if there are none now. Unavailable: the
  // connection has ended or is broken. Corrupt: the bytes were not sent by the other side.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> to) = 0;
  // Takes bytes of `head` and then of `body`, and returns their number, or 0 if it can take none
  // now. The errors are those of read().
  [[nodiscard]] virtual Result<std::size_t> write(std::span<const std::byte> head,
                                                  std::span<const std::byte> body) = 0;
  // Whether bytes wait until the socket can be written. write() tries to send them, even without
  // new bytes.
  [[nodiscard]] virtual bool waits_to_write() const = 0;
  [[nodiscard]] virtual int fd() const = 0;
};

}  // namespace surety::fabric
