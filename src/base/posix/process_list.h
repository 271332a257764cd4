// Finds processes of this machine that were started for a purpose, by their environment, which
// keeps its values from the start of the process.
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
