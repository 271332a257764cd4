#include "fabric/sockets/plain_stream.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr const char* kHungUp = "the other side has closed the connection";

Result<std::size_t> moved(ssize_t bytes) {
  if (bytes >= 0) return static_cast<std::size_t>(bytes);
  // A socket whose connection is still being made is not connected yet.
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN) return 0;
  return fail(ErrorCode::kUnavailable, "{}", std::generic_category().message(errno));
}

}  // namespace

Result<std::size_t> receive_some(int fd, std::span<std::byte> to) {
  SURETY_CHECK(!to.empty());
  const ssize_t bytes = ::recv(fd, to.data(), to.size(), MSG_DONTWAIT);
  if (bytes == 0) return fail(ErrorCode::kUnavailable, "{}", kHungUp);
  return moved(bytes);
}

Result<std::size_t> send_some(int fd, std::span<const std::byte> head,
                              std::span<const std::byte> body) {
  std::array<iovec, 2> parts{};
  // sendmsg() only reads the bytes.
  parts[0] = {.iov_base = const_cast<std::byte*>(head.data()), .iov_len = head.size()};
  parts[1] = {.iov_base = const_cast<std::byte*>(body.data()), .iov_len = body.size()};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return moved(::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

Result<std::size_t> PlainStream::read(std::span<std::byte> to) { return receive_some(fd(), to); }

Result<std::size_t> PlainStream::write(std::span<const std::byte> head,
                                       std::span<const std::byte> body) {
  if (head.empty() && body.empty()) return 0;
  SURETY_TRY(const std::size_t bytes, send_some(fd(), head, body));
  waits_ = bytes == 0;
  return bytes;
}

}  // namespace surety::fabric
