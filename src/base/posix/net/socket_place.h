// The place of a Unix socket: a path in a folder that only this user may enter. One folder may have
// the sockets of several processes. The process that made the folder removes it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace surety::posix {

// The destructor removes the socket. If the place owns the folder, it also removes all sockets in
// the folder, and the folder. A process that is killed leaves them behind.
class SocketPlace {
 public:
  // A place in a new folder "surety-XXXXXX" in the system's folder for temporary files, or in /tmp
  // if the path would be too long for a socket there. InvalidInput, with what to do: no folder can
  // be made.
  [[nodiscard]] static Result<SocketPlace> in_new_folder(const std::string& name);
  // The place where an earlier process had its socket, so that other processes find the new socket.
  // If the folder still exists, it now belongs to this place. Unavailable: a process still listens
  // there; or the folder belongs to another user, is open to others, was not made by
  // in_new_folder(), or cannot be made again. InvalidInput: `address` is not the address of a Unix
  // socket.
  [[nodiscard]] static Result<SocketPlace> again(const std::string& address);
  // A place in the folder of another socket. Unavailable: other users may enter the folder.
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
