// Which processes of this machine were started for something: found by their environment, which
// stays what it was when they began.
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

// Of this user, alive, with NAME=value in its environment; ascending by pid, without ourselves.
// O(processes of the machine): it reads a file of each.
[[nodiscard]] std::vector<RunningProcess> find_processes(const std::string& name,
                                                         const std::string& value);

}  // namespace surety::posix
