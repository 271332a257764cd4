#include "cli/network_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/posix/worker_environment.h"
#include "cli/output.h"

namespace surety::cli {

tl::unexpected<Error> become_network_program(std::uint32_t threads, std::vector<std::string> words,
                                             std::string_view why) {
  std::string program = sibling_program("surety-worker").string();
  for (const auto& [key, value] : posix::worker_environment(threads)) {
    ::setenv(key.c_str(), value.c_str(), 1);
  }
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return fail(ErrorCode::kInvalidInput, "{}, but {} cannot be started: {}", why, program,
              std::strerror(errno));
}

}  // namespace surety::cli
