#include "base/posix/limits.h"

#include <malloc.h>
#include <sys/resource.h>

namespace surety::posix {

void forbid_core_dumps() {
  // One byte is too little for a file. With none, the kernel would still start a program that is to
  // receive the memory (core(5), "Piping core dumps to a program").
  const rlimit none{.rlim_cur = 1, .rlim_max = 1};
  // This fails only if the limit is lower already.
  static_cast<void>(::setrlimit(RLIMIT_CORE, &none));
}

void allow_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  // If this fails, the present limit remains.
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));
}

void share_free_memory() {
  constexpr int kArenas = 2;
  ::mallopt(M_ARENA_MAX, kArenas);
}

}  // namespace surety::posix
