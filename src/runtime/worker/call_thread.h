// Calls a coordinator from a thread of its own, one call at a time. A call may wait for an answer,
// and the thread that moves the worker's bytes must not wait.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "runtime/control/control_channel.h"

namespace surety::runtime {

class CallThread {
 public:
  using Answer = Result<std::unique_ptr<ControlClient>>;
  // Waits for an answer, up to the patience.
  using Connect = std::function<Answer(const std::string& address, const proto::Hello& hello,
                                       Duration patience)>;

  // `wake` is called by the thread after each call.
  CallThread(Connect connect, std::function<void()> wake)
      : connect_(std::move(connect)), wake_(std::move(wake)) {}
  // Waits for the end of the call that is under way.
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  // REQUIRES: the answer to the last call was taken.
  void call(const std::string& address, const proto::Hello& hello, Duration patience);
  // Returns the answer to the call, once. Unavailable: no program answers, or the call threw an
  // exception.
  [[nodiscard]] std::optional<Answer> take_answer();
  // Waits until there is an answer, up to `patience`.
  void wait(Duration patience) { answers_.wait(patience); }

 private:
  const Connect connect_;
  const std::function<void()> wake_;
  Inbox<Answer> answers_;
  std::thread thread_;  // Runs from call() to take_answer(). The last member: it uses the above.
};

}  // namespace surety::runtime
