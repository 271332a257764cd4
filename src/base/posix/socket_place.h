// The place of a Unix socket: a path in a folder that only this user may enter. One folder may have
// the sockets of several processes; the process that made
// it removes it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace surety::posix {

// At its end it removes the socket, and with a folder of its own all sockets in it and the folder.
// A process that is killed leaves them.
class SocketPlace {
 public:
  // In a new folder "surety-XXXXXX" in the system's folder for temporary files, or in /tmp if the
  // path would be too long for a socket there. InvalidInput, with what to do: no folder can be
  // made.
  [[nodiscard]] static Result<SocketPlace> in_new_folder(const std::string& name);
  // Where an earlier process had its socket, so that others find the new one. The folder, if it is
  // left, now belongs to this place. Unavailable: a process still listens there, the folder
  // belongs to another user, is open to others or was not made by in_new_folder(), or it cannot be
  // made again. InvalidInput: it is no address of a Unix socket.
  [[nodiscard]] static Result<SocketPlace> again(const std::string& address);
  // In the folder of another socket. Unavailable: others than this user may enter it.
  // InvalidInput: `address` is not the address of a Unix socket, or the path is too long.
  [[nodiscard]] static Result<SocketPlace> beside(const std::string& address,
                                                  const std::string& name);
  SocketPlace(SocketPlace&& other) noexcept;
  SocketPlace& operator=(SocketPlace&&) = delete;
  ~SocketPlace();

  // unix:PATH
  [[nodiscard]] std::string address() const;

 private:
  SocketPlace(std::filesystem::path socket, bool owns_folder)
      : socket_(std::move(socket)), owns_folder_(owns_folder) {}

  std::filesystem::path socket_;  // Empty after a move.
  bool owns_folder_;
};

}  // namespace surety::posix
