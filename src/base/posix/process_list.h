// Finds processes of this machine by a variable in their environment. The kernel shows the
// environment with which a process was started.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace surety::posix {

struct RunningProcess {
  pid_t pid = 0;
  std::map<std::string, std::string> environment;
};

// The live processes of this user with NAME=value in their environment, ascending by pid, without
// this process. O(processes of the machine): it reads a file of each.
[[nodiscard]] std::vector<RunningProcess> find_processes(const std::string& name,
                                                         const std::string& value);

}  // namespace surety::posix
