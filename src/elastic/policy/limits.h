// Finds the limits of data parallelism, for the log: the numbers of workers above which more
// workers do not help.
//
//   chunks   A worker needs at least one chunk. If there are more workers than chunks, the rest is
//            idle.
//   sync     Workers share the computing of an iteration, but not its synchronisation. If
//            synchronisation takes longer than computing, doubling the workers saves less than a
//            quarter of the time.
//
// Pure functions of the observations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace surety::elastic {

struct IterationTimes {
  std::size_t workers = 0;  // Workers that had work.
  std::size_t chunks = 0;   // Chunks of the job.
  double compute_s = 0;     // Computing time of the slowest worker.
  // Time of the worker that waited least, because this time contains no waiting for other workers.
  double sync_s = 0;
};

class Limits {
 public:
  // Returns a sentence when a limit is seen for the first time; each limit is reported once. The
  // limit of synchronisation uses medians over kWindow iterations with the same workers.
  [[nodiscard]] std::optional<std::string> observe(const IterationTimes& iteration);

  static constexpr std::size_t kWindow = 9;

 private:
  [[nodiscard]] std::optional<std::string> observe_sync(const IterationTimes& iteration);

  bool reported_chunks_ = false;
  bool reported_sync_ = false;
  std::size_t workers_ = 0;        // Number of workers in the window.
  std::vector<double> compute_s_;  // Computing times of at most kWindow iterations.
  std::vector<double> sync_s_;     // Synchronisation times of as many iterations.
};

}  // namespace surety::elastic
