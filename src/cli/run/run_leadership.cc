#include "cli/run/run_leadership.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/signals.h"
#include "base/units.h"

namespace surety::cli {
namespace {

using namespace orchestrator;
using runtime::LeaseHolder;
using Role = LeaseHolder::Role;

constexpr auto kSignalPollInterval = std::chrono::milliseconds(100);
// Bounds of the time that etcd gets to answer at the start, where a user waits for a word, and etcd
// may have been started together with this program; and at the end of the run. Between them the
// lease decides, because it says what pauses are expected on these machines.
constexpr Duration kStartPatienceMin = std::chrono::seconds(5);
constexpr Duration kEndPatienceMin = std::chrono::seconds(2);
constexpr Duration kPatienceMax = std::chrono::seconds(30);
// Added to the lease that a killed coordinator may have left.
constexpr auto kLeadPatience = std::chrono::seconds(3);

Duration lease_of(const PreparedRun& run) {
  return from_seconds(run.config.job.coordinator.lease_s);
}

Duration start_patience(const PreparedRun& run) {
  return std::clamp(lease_of(run), kStartPatienceMin, kPatienceMax);
}

Duration end_patience(const PreparedRun& run) {
  return std::clamp(lease_of(run) / 3, kEndPatienceMin, kPatienceMax);
}

// Describes the current state; equal texts mean that nothing has changed.
std::string leadership_text(const PreparedRun& run, const LeaseHolder::View& view) {
  if (view.role == Role::kStandingBy && view.leader && !view.trouble) {
    return fmt::format(
        "standing by for {}, which leads {}; this standby takes over if it is silent for {}",
        text_of(*view.leader), run.folder.string(), format_duration(lease_of(run)));
  }
  if (!view.trouble) return "";
  return fmt::format("{}: waiting for it; no coordinator takes over without it", *view.trouble);
}

}  // namespace

std::string text_of(const Leader& leader) {
  return fmt::format("{} (pid {})", leader.host, leader.pid);
}

void join_election(PreparedRun& run) {
  run.lease_holder.reset();  // The old lease holder gives up its lease first.
  run.lease_holder = std::make_unique<LeaseHolder>(runtime::LeaseHolderOptions{
      .etcd = run.config.job.coordinator.etcd,
      .run = identity(run.state),
      .self = {.host = posix::host_name(), .pid = static_cast<std::uint32_t>(::getpid())},
      .lease = lease_of(run),
      .end_patience = end_patience(run)});
}

Result<void> check_etcd(const PreparedRun& run) {
  const Duration patience = start_patience(run);
  const Time deadline = posix::now() + patience;
  while (posix::now() < deadline) {
    const LeaseHolder::View view = run.lease_holder->wait(kSignalPollInterval);
    if (view.role != Role::kSeeking) return {};
    if (posix::stop_signals() > 0) break;
  }
  const std::string why = run.lease_holder->view().trouble.value_or(
      fmt::format("etcd does not answer at {}", fmt::join(run.config.job.coordinator.etcd, ", ")));
  return fail(ErrorCode::kInvalidInput,
              "coordinator.etcd: {}, for {}; start it, or use --set coordinator.standby=off", why,
              format_duration(patience));
}

Elected wait_for_leadership(PreparedRun& run, bool ends_with_other,
                            const std::function<void(const std::string&)>& log) {
  std::string last_text;
  bool was_cut_off = false;
  while (true) {
    const LeaseHolder::View view = run.lease_holder->wait(kSignalPollInterval);
    if (view.role == Role::kLeading) return Elected::kSelf;
    if (view.role == Role::kOver) return Elected::kOver;
    // This process was stopped just after it had won the election.
    if (view.role == Role::kLapsed) join_election(run);
    was_cut_off = was_cut_off || view.trouble.has_value();
    if (view.role == Role::kStandingBy && !was_cut_off && ends_with_other) return Elected::kOther;
    if (posix::stop_signals() > 0) return Elected::kStopped;
    std::string text = leadership_text(run, view);
    if (!text.empty() && text != last_text) log(last_text = std::move(text));
  }
}

Result<void> acquire_leadership(PreparedRun& run) {
  if (!run.config.job.coordinator.standby) return {};
  join_election(run);
  SURETY_TRY(check_etcd(run));
  const bool is_resumed = std::filesystem::exists(run.folder);
  if (is_resumed) SURETY_TRY(run.lease_holder->forget_end());
  const Time deadline = posix::now() + lease_of(run) + kLeadPatience;
  LeaseHolder::View view = run.lease_holder->view();
  while (view.role != Role::kLeading && posix::now() < deadline && posix::stop_signals() == 0) {
    // Either the end of the run was read before we deleted it, or this process was stopped just
    // after it had won.
    if (view.role == Role::kOver || view.role == Role::kLapsed) join_election(run);
    view = run.lease_holder->wait(kSignalPollInterval);
  }
  if (view.role == Role::kLeading) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: the run's coordinator is still running{}; a run has only one coordinator; to "
              "wait for its end:  surety standby {}",
              run.folder.string(), view.leader ? ": " + text_of(*view.leader) : "",
              run.folder.string());
}

}  // namespace surety::cli
