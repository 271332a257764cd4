#include "runtime/worker/call_thread.h"

#include <exception>
#include <utility>

#include "base/check.h"
#include "base/posix/start_threads.h"

namespace surety::runtime {

CallThread::~CallThread() {
  if (thread_.joinable()) thread_.join();
}

void CallThread::call(const std::string& address, const proto::Hello& hello, Duration patience) {
  SURETY_CHECK(!thread_.joinable());
  const auto run = [this, address, hello, patience] {
    // Libraries may throw, for example when memory is exhausted. Here an exception becomes an
    // error.
    Answer answer;
    try {
      answer = connect_(address, hello, patience);
    } catch (const std::exception& error) {
      answer = fail(ErrorCode::kUnavailable, "{}", error.what());
    }
    answers_.put(std::move(answer));
    wake_();
  };
  auto started =
      posix::start_threads("to call the coordinator", [&] { thread_ = std::thread(run); });
  if (!started) answers_.put(tl::unexpected(std::move(started).error()));
}

std::optional<CallThread::Answer> CallThread::take_answer() {
  std::optional<Answer> answer = answers_.take();
  if (answer && thread_.joinable()) thread_.join();
  return answer;
}

}  // namespace surety::runtime
