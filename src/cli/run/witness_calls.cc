#include "cli/run/witness_calls.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/posix/start_threads.h"
#include "cli/output.h"
#include "cli/shell_words.h"
#include "runtime/witness/cosign.h"

namespace surety::cli {

WitnessCalls::WitnessCalls(std::filesystem::path run, std::vector<std::string> urls,
                           Duration interval)
    : run_(std::move(run)), urls_(std::move(urls)) {
  if (urls_.empty()) return;
  // Without a thread the witnesses are asked at the end only.
  static_cast<void>(posix::start_threads("to ask witnesses", [&] {
    thread_ = std::thread([this, interval] { call_regularly(interval); });
  }));
}

WitnessCalls::~WitnessCalls() { stop(); }

// A witness that has a reason to refuse is named once. The end of the run shows whether one that
// was away has returned.
void WitnessCalls::call_regularly(Duration interval) {
  std::set<std::string> warned;
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, interval, [&] { return is_stopped_; })) {
    lock.unlock();
    for (const std::string& url : urls_) {
      const auto cosigned = runtime::cosign(run_, url);
      const bool is_refused = !cosigned && cosigned.error().code != ErrorCode::kUnavailable;
      if (is_refused && warned.insert(url).second) {
        print_message(fmt::format("warning: {}\n", cosigned.error().message));
      }
    }
    lock.lock();
  }
}

void WitnessCalls::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WitnessCalls::finish() {
  stop();
  for (const std::string& url : urls_) {
    const auto cosigned = runtime::cosign(run_, url);
    print_message(
        cosigned
            ? fmt::format("witness:     {} of the journal\n", runtime::words_of(*cosigned))
            : fmt::format("warning: {}. Ask it again with:  surety cosign {} --witness {}\n",
                          cosigned.error().message, shell_word(run_.string()), shell_word(url)));
  }
}

}  // namespace surety::cli
