#include "base/posix/worker_environment.h"

#include <cstdlib>

#include "base/posix/cpu.h"

namespace surety::posix {

std::map<std::string, std::string> thread_settings(std::uint32_t threads) {
  std::map<std::string, std::string> wanted{
      {"OMP_WAIT_POLICY", "passive"},
      {"OMP_NUM_THREADS", std::to_string(threads)},
      {"OPENBLAS_NUM_THREADS", std::to_string(threads)},
      {"OPENBLAS_THREAD_TIMEOUT", "14"},
  };
  if (has_avx512f()) {
    wanted["OPENBLAS_CORETYPE"] = "SkylakeX";
  } else if (has_avx2()) {
    wanted["OPENBLAS_CORETYPE"] = "Haswell";
  }
  return wanted;
}

std::map<std::string, std::string> worker_environment(std::uint32_t threads) {
  std::map<std::string, std::string> wanted = thread_settings(threads);
  std::erase_if(wanted,
                [](const auto& entry) { return std::getenv(entry.first.c_str()) != nullptr; });
  return wanted;
}

}  // namespace surety::posix
