// Where more workers stop helping: the limits of data parallelism, for the log.
//
//   chunks   a worker needs at least one chunk; beyond as many workers as chunks the rest is idle
//   sync     workers share the computing of an iteration, not its synchronisation; once that takes
//            longer, twice as many workers save less than a quarter of the time
//
// Pure functions of the observations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace surety::elastic {

struct IterationSeen {
  std::size_t workers = 0;  // That had work.
  std::size_t chunks = 0;   // Of the job.
  double compute_s = 0;     // Of the slowest worker.
  double sync_s = 0;        // Of the one that waited least: nobody else is waited for in it.
};

class Limits {
 public:
  // Returns a sentence the first time that a limit is seen; each is said once. The limit of
  // synchronisation is by medians over kWindow iterations with the same workers.
  [[nodiscard]] std::optional<std::string> observe(const IterationSeen& seen);

  static constexpr std::size_t kWindow = 9;

 private:
  [[nodiscard]] std::optional<std::string> observe_sync(const IterationSeen& seen);

  bool said_chunks_ = false, said_sync_ = false;
  std::size_t workers_ = 0;                 // Of the window.
  std::vector<double> compute_s_, sync_s_;  // Of at most kWindow iterations.
};

}  // namespace surety::elastic
