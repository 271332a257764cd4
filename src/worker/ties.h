// Whose worker this is: which run's, under which coordinator and name; and, while that coordinator
// is lost, when the worker calls again and for how long.
//
//   kStranger -> kBound            by its first welcome
//   kStranger or kBound -> kLost   the stream ends
//   kLost -> kBound                by the welcome of a coordinator that is not older
//   any -> the end, as an error: it waits no longer, is not wanted, or was leaving anyway
//
// A coordinator may be one that was stopped, and know nothing of the one that has taken its run
// over meanwhile; so a worker refuses whoever is older than one that it has seen.
//
// Not concerned with how it calls, nor with what it holds (holdings.h). Pure: told the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "proto/surety.pb.h"

namespace surety::worker {

struct TiesOptions {
  Duration patience = std::chrono::seconds(60);  // Of a stranger, for a coordinator to answer.
  // How long who was bound calls a coordinator that is lost; 0: it ends with its coordinator.
  Duration wait = std::chrono::minutes(3);
};

enum class Welcomed : std::uint8_t {
  kRefused,  // By an older coordinator of this run: nothing has changed.
  kNew,      // What the worker holds, if anything, is of no use: another run, or other data.
  kAgain,    // The samples that it holds are this run's.
};

class Ties {
 public:
  explicit Ties(TiesOptions options) : options_(options) {}

  // Says in a hello who we were: run, worker and epoch of the last welcome.
  void introduce(proto::Hello& hello) const;
  // Another name begins, and with it a new session; but for kRefused.
  [[nodiscard]] Welcomed welcome(const proto::Welcome& welcome);

  // The stream has ended, or a call was not answered. An error: that is the end.
  [[nodiscard]] Result<void> lose(Time now, const Error& why);
  // How long until the next call: from 50 ms, each twice the one before, to a second; where a
  // standby may answer soon, to a fifth of it. An error: it has waited long enough.
  // REQUIRES: is_lost().
  [[nodiscard]] Result<Duration> next_pause(Time now);
  // It wants to go, and does not wait for anybody.
  void leave() { leaving_ = true; }

  [[nodiscard]] bool is_lost() const { return lost_at_.has_value(); }
  // Of the last welcome; 0 or empty: there was none.
  [[nodiscard]] std::uint32_t name() const { return last_.worker(); }
  [[nodiscard]] std::uint32_t epoch() const { return last_.epoch(); }
  // Where a later coordinator may be found; empty: where the last one was.
  [[nodiscard]] const std::string& folder() const { return last_.folder(); }
  // How long it calls: who has been welcome keeps what it has, who has not is patient.
  [[nodiscard]] Duration limit() const { return is_bound_ ? options_.wait : options_.patience; }

 private:
  TiesOptions options_;
  proto::Welcome last_;
  bool is_bound_ = false;        // There was one.
  std::optional<Time> lost_at_;  // lose() sets, an accepted welcome() clears.
  Duration pause_{};             // The next one.
  bool leaving_ = false;
};

}  // namespace surety::worker
