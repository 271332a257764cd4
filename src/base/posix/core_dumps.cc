#include "base/posix/core_dumps.h"

#include <sys/resource.h>

namespace surety::posix {

void forbid_core_dumps() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  // A limit may always be lowered, so this does not fail.
  static_cast<void>(::setrlimit(RLIMIT_CORE, &none));
}

}  // namespace surety::posix
