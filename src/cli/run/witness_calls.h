// Asks the witnesses of a run to sign its journal: at intervals while the run continues, and at its
// end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"

namespace surety::cli {

class WitnessCalls {
 public:
  // Begins a thread, unless there are no URLs. If the system has no thread left, witnesses are only
  // asked at the end. The first call comes after one interval.
  // REQUIRES: is_http_url() of each URL (base/http_url.h).
  WitnessCalls(std::filesystem::path run, std::vector<std::string> urls,
               Duration interval = std::chrono::minutes(1));
  // Waits for a call that is under way, some ten seconds at most for each witness.
  ~WitnessCalls();
  WitnessCalls(const WitnessCalls&) = delete;
  WitnessCalls& operator=(const WitnessCalls&) = delete;

  // Ends the regular calls, asks each witness once more, and prints what it has signed, or a
  // warning with the command that asks it again. A witness that does not sign does not change the
  // result of the run.
  void finish();

 private:
  void call_regularly(Duration interval);
  void stop();

  const std::filesystem::path run_;
  const std::vector<std::string> urls_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace surety::cli
