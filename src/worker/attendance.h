// How a worker attends a run, as a step machine: events in, effects out. It decides when the worker
// calls a coordinator, which one it calls and for how long, how it reacts to a Welcome, and when it
// leaves. The same machine runs in a worker process (runtime/worker/worker.cc) and in a simulated
// one (sim/process/coordinator_link.cc).
//
//   idle -> calling                   begin()
//   calling -> connected              the call is answered
//   calling or connected -> pausing   no answer or no Welcome comes, the stream ends, or an older
//                                     coordinator is refused
//   pausing -> reading                the pause is over
//   reading -> calling                the folders were read
//   any -> ended                      a coordinator dismisses or refuses it, it has called for long
//                                     enough, the run has moved away, a signal tells it to leave,
//                                     or a call or a connection is lost while it is leaving
//
// Another class decides which coordinator the worker belongs to (worker/coordinator_binding.h).
// Events that are not expected in the current state, or that come after the end, are ignored.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "proto/surety.pb.h"
#include "worker/coordinator_binding.h"

namespace surety::worker {

// How long one call waits for an answer. If a worker was never welcomed, it doubles this time after
// each failed call, up to the maximum, because the network to its coordinator may be slow.
inline constexpr Duration kCallPatience = std::chrono::milliseconds(500);
inline constexpr Duration kCallPatienceMax = std::chrono::seconds(4);
// How long a worker that is connected waits for its Welcome: another program may have answered.
inline constexpr Duration kWelcomePatience = std::chrono::seconds(20);

// ---- effects ------------------------------------------------------------------------------------

// Calls the coordinator. The event on_answered() or on_lost() follows.
struct CallCoordinator {
  std::string address;
  proto::Hello hello;
  Duration patience{};  // A call without an answer for this time has failed.
};
// The worker ends the connection, and ignores messages that still come over it.
struct CloseConnection {};
struct SendToCoordinator {
  proto::FromWorker message;
};
// The machine gets the Welcome (Machine::on_welcome()).
struct PassWelcome {
  proto::Welcome welcome;
  bool keeps_samples = false;
};
// The machine gets the command (Machine::on_command()).
struct PassCommand {
  proto::ToWorker command;
};
// No coordinator waits for an answer (Machine::on_coordinator_lost()).
struct ReportCoordinatorLost {};
// The worker ends the connection once the folder names a later coordinator than this one, because a
// coordinator that was stopped keeps its connections open. The watch ends with the connection.
struct WatchForSuccessor {
  std::string folder;
  std::uint32_t term = 0;
};
// Reads the folders. The event on_folders_read() follows. If a folder is absent, its part of
// FoldersRead is empty.
struct ReadFolders {
  std::optional<std::string> run_folder;  // Folder whose existence is checked.
  std::optional<std::string> folder;      // Folder that names the coordinator.
};
// The event on_time() follows after this delay.
struct WakeAfter {
  Duration delay{};
  std::uint64_t timer = 0;
};
struct LogLine {
  std::string line;  // A line for the worker's log.
};
// The worker ends: successfully with a reason, or with an error. This is the last effect.
struct EndWorker {
  Result<std::string> why;
};
using Effect = std::variant<CallCoordinator, CloseConnection, SendToCoordinator, PassWelcome,
                            PassCommand, ReportCoordinatorLost, WatchForSuccessor, ReadFolders,
                            WakeAfter, LogLine, EndWorker>;
using Effects = std::vector<Effect>;

// ---- the machine --------------------------------------------------------------------------------

struct AttendanceOptions {
  // Address of the first coordinator, and of later ones if no folder names their address.
  std::string join;
  proto::Hello hello;  // The description of this process that it sends in each call.
  CoordinatorBindingOptions binding;
  // Time from the first stop signal after which the worker leaves, even if it was not dismissed.
  Duration notice = std::chrono::seconds(30);
  // Folder of the run, if it is on this machine. Once it is gone, the worker waits no longer: a
  // coordinator that resumes the run elsewhere starts new workers.
  std::optional<std::string> run_folder;
};

// What a worker without a coordinator has found in the folders.
struct FoldersRead {
  struct Coordinator {
    std::string address;
    std::uint32_t term = 0;
  };
  bool run_is_gone = false;
  // The coordinator that the folder names, if it names one.
  std::optional<Coordinator> coordinator;
};

class Attendance {
 public:
  // `chunks` returns the chunks whose samples the worker holds.
  Attendance(AttendanceOptions options, std::function<std::vector<ChunkId>()> chunks);

  // REQUIRES: called once, before all others but on_stop_signal().
  [[nodiscard]] Effects begin();
  [[nodiscard]] Effects on_answered();
  // The call was not answered, or the stream has ended.
  [[nodiscard]] Effects on_lost(Time now, const Error& why);
  [[nodiscard]] Effects on_message(Time now, proto::ToWorker message);
  // SIGTERM or Ctrl-C. The worker leaves; if it is calling, it does so once the call is answered.
  // The second signal ends the worker at once.
  [[nodiscard]] Effects on_stop_signal();
  [[nodiscard]] Effects on_time(Time now, std::uint64_t timer);
  [[nodiscard]] Effects on_folders_read(const FoldersRead& found);

  // A coordinator has welcomed this worker at least once.
  [[nodiscard]] bool was_welcomed() const { return binding_.last_welcome().has_value(); }
  // The worker was told to leave.
  [[nodiscard]] bool is_leaving() const { return is_leaving_; }

 private:
  enum class Stage : std::uint8_t { kIdle, kCalling, kConnected, kPausing, kReading, kEnded };

  [[nodiscard]] Effects call(const std::string& address);
  [[nodiscard]] Effects on_welcome(Time now, const proto::Welcome& welcome);
  // Appends the effects of a lost coordinator.
  void lose(Time now, const Error& why, Effects& effects);
  // The pause until the next call. An error means that the worker ends.
  [[nodiscard]] Result<Duration> pause_after(Time now, const Error& why);
  [[nodiscard]] std::string lost_line(const Error& why) const;
  [[nodiscard]] EndWorker end(Result<std::string> why);
  [[nodiscard]] WakeAfter wake_after(Duration delay, std::optional<std::uint64_t>& timer);

  const AttendanceOptions options_;
  const std::function<std::vector<ChunkId>()> chunks_;
  CoordinatorBinding binding_;
  Stage stage_ = Stage::kIdle;
  Duration patience_ = kCallPatience;  // How long the next call waits for an answer.
  bool is_leaving_ = false;
  std::uint64_t last_timer_ = 0;
  std::optional<std::uint64_t> pause_;       // The timer of the last pause.
  std::optional<std::uint64_t> notice_;      // The timer since the first stop signal.
  std::optional<std::uint64_t> unwelcomed_;  // The timer of a connection without a Welcome yet.
};

}  // namespace surety::worker
