// The places of the workers that are started on this machine: one for each that was requested. A
// worker that is lost leaves its place vacant, and another process is started for it. A worker that
// leaves on purpose gives up its place, so it is not replaced.
//
//   requested -> taken -> vacant -> requested or taken
//   requested -> vacant (its process ended before it joined);  any -> closed
//
// A worker that counts as lost may call again, because its process was only stopped for a while or
// its connection broke. It gets its place back if the place is vacant, or if the process that was
// started for the place has not joined yet. Otherwise there is one surplus worker, and the worker
// that joined last has no place.
//
// Restarts are bounded. The first restart follows at once, later ones after a growing pause. A
// place is closed, and the run continues with fewer workers, after kRestartsMax restarts without
// success: each within a minute of the one before, and without a finished pass in which the worker
// took part.
//
// Pure: no clock, no I/O. Workers that were not started by the coordinator have no place and are
// not recorded here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "plan/types.h"

namespace surety::orchestrator {

class Places {
 public:
  static constexpr std::uint32_t kRestartsMax = 3;
  // If the end of a lost worker's process was not observed, its place stays vacant for these
  // seconds, because the worker may call again: a worker that has lost its connection calls once a
  // second. With a longer time, its work would wait too long.
  static constexpr double kReturnS = 3;
  // Restarts are forgotten when this number of seconds has passed after the last one.
  static constexpr double kMemoryS = 60;
  // Longest pause before a restart, in seconds; the pauses are 0, 1, 2, 4, ...
  static constexpr double kPauseMaxS = 16;

  // ---- events; workers and types without a place are ignored ----
  // Processes were requested. They get vacant places whose pause is over, and otherwise new
  // places.
  void on_requested(const plan::NodeCount& nodes, double now_s);
  void on_not_started(const plan::NodeCount& nodes);
  // The worker takes a place: the place that its process had as worker `before`, unless another
  // process was requested for this place; otherwise a requested place; otherwise a vacant one.
  // Returns false if there is no place: then it is a surplus worker.
  [[nodiscard]] bool take(WorkerId worker, const std::string& type, std::optional<WorkerId> before);
  void on_lost(WorkerId worker, double now_s);
  void on_left(WorkerId worker);
  // The process of this worker has ended, so it will not call again.
  void on_process_ended(WorkerId worker);
  // A requested process of this type has ended before it joined.
  void on_never_joined(const std::string& type, double now_s);
  // A pass was finished, so the starts of the present workers count as successful.
  void on_pass();
  // Closes the vacant places of this type beyond this number; no type means all types.
  void close_vacant(const std::optional<std::string>& type, std::uint32_t kept);

  // ---- actions ----
  // Vacant places.
  [[nodiscard]] std::uint32_t vacant() const;
  // Vacant places of this type for which a process may be started now, or only later.
  [[nodiscard]] std::uint32_t due(const std::string& type, double now_s) const;
  [[nodiscard]] std::uint32_t paused(const std::string& type, double now_s) const;
  // Whether a process may be started now for a place.
  [[nodiscard]] bool has_due(double now_s) const;
  // Places that were closed since the last call after too many restarts, by their types.
  [[nodiscard]] std::vector<std::string> take_given_up();

 private:
  enum class State : std::uint8_t { kRequested, kTaken, kVacant };
  struct Place {
    std::string type;
    State state = State::kRequested;
    // The worker that has the place, or that had it last if it is vacant.
    std::optional<WorkerId> worker{};
    bool process_ended = false;  // Its process has ended.
    double vacant_since_s = 0;
    std::uint32_t restarts = 0;               // Restarts within the last minute.
    std::uint32_t restarts_without_pass = 0;  // Restarts after which no pass was finished.
    double restarted_s = 0;                   // Time of the last restart.
  };
  [[nodiscard]] static double due_s(const Place& place);
  [[nodiscard]] static bool is_due(const Place& place, double now_s);
  [[nodiscard]] Place* find(const std::string& type, State state);
  [[nodiscard]] Place* of(WorkerId worker);
  void vacate(Place& place, double now_s);

  // In the order of the requests: a process that joins or ends counts as the one that was requested
  // first. on_requested() adds; closing removes.
  std::vector<Place> places_;
  std::vector<std::string> given_up_;  // vacate() adds, take_given_up() removes.
};

}  // namespace surety::orchestrator
