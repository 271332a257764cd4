// The run and the coordinator that a worker belongs to, and its id. While the coordinator is lost,
// this class also decides when the worker calls again, and for how long.
//
//   unbound -> bound          at the first Welcome
//   unbound or bound -> lost  the stream ends
//   lost -> bound             at the Welcome of a coordinator that is not older
//   any -> end, as an error   it has waited long enough, or is refused
//
// A coordinator may have been stopped and not know that another one has taken over its run. So a
// worker refuses a coordinator that is older than one that it has seen.
//
// This class knows neither how the worker calls (worker/attendance.h) nor what it holds
// (worker/state/chunk_store.h).
// Pure: time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "proto/surety.pb.h"

namespace surety::worker {

struct CoordinatorBindingOptions {
  // How long a new worker calls a coordinator, until one has welcomed it; if absent, it calls once.
  std::optional<Duration> patience = std::chrono::seconds(60);
  // How long a bound worker calls a lost coordinator; if absent, it ends with its coordinator.
  std::optional<Duration> wait = std::chrono::minutes(3);
};

enum class Welcomed : std::uint8_t {
  kRefused,  // An older coordinator of this run; nothing has changed.
  kNew,      // Another run, or other data: nothing that the worker holds is of use.
  kAgain,    // The samples that it holds belong to this run.
};

class CoordinatorBinding {
 public:
  explicit CoordinatorBinding(CoordinatorBindingOptions options) : options_(options) {}

  // Puts run, worker and term of the last Welcome into a Hello.
  void introduce(proto::Hello& hello) const;
  // Takes the new id and begins a new session, unless it returns kRefused.
  [[nodiscard]] Welcomed welcome(const proto::Welcome& welcome);

  // The stream has ended, or a call was not answered. An error means that the worker must end:
  // `why` is a refusal (InvalidInput), or the worker may not wait.
  [[nodiscard]] Result<void> lose(Time now, const Error& why);
  // Time until the next call. It is 50 ms at first and then doubles, but is never longer than one
  // second, or 200 ms if a standby may answer soon. Unavailable means that the worker has waited
  // long enough.
  // REQUIRES: is_lost().
  [[nodiscard]] Result<Duration> next_pause(Time now);

  [[nodiscard]] bool is_lost() const { return lost_at_.has_value(); }
  // The last Welcome that was not refused.
  [[nodiscard]] const std::optional<proto::Welcome>& last_welcome() const { return last_welcome_; }
  // Folder where a later coordinator may be found. Without it, only the address of the last one is
  // known.
  [[nodiscard]] std::optional<std::string> folder() const;
  // How long the worker calls: `wait` if it was ever welcomed, `patience` if not.
  [[nodiscard]] std::optional<Duration> limit() const {
    return last_welcome_ ? options_.wait : options_.patience;
  }

 private:
  CoordinatorBindingOptions options_;
  std::optional<proto::Welcome> last_welcome_;
  std::optional<Time> lost_at_;  // lose() sets, an accepted welcome() clears.
  Duration pause_{};             // The next pause.
};

}  // namespace surety::worker
