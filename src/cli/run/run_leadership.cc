#include "cli/run/run_leadership.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/crypto/authority.h"
#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/private_file.h"
#include "base/posix/signals.h"
#include "base/units.h"
#include "cli/shell_words.h"

namespace surety::cli {
namespace {

using namespace orchestrator;
using runtime::LeaseHolder;
using Role = LeaseHolder::Role;

constexpr auto kSignalPollInterval = std::chrono::milliseconds(100);
// Bounds of the time for an answer of etcd. At the start, a user waits for a message, and etcd may
// have been started together with this program. Within the bounds, the lease determines the time,
// because it states which pauses are expected on these machines.
constexpr Duration kStartPatienceMin = std::chrono::seconds(5);
constexpr Duration kEndPatienceMin = std::chrono::seconds(2);
constexpr Duration kPatienceMax = std::chrono::seconds(30);
// This is added to the lease that a killed coordinator may have left.
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
std::string leadership_text(const PreparedRun& run, const CandidateView& view) {
  if (view.role == Role::kStandingBy && view.leader && !view.trouble) {
    return fmt::format(
        "standing by for {}, which leads {}; this standby takes over if the leader sends nothing "
        "for {}",
        text_of(*view.leader), run.folder.string(), format_duration(lease_of(run)));
  }
  if (!view.trouble) return "";
  return fmt::format("{}: waiting for etcd; no coordinator takes over without etcd", *view.trouble);
}

Candidacy::Step take_part(PreparedRun& run, Candidacy candidacy,
                          const std::function<void(const std::string&)>& log) {
  std::string last_text;
  while (true) {
    const CandidateView view = run.lease_holder->wait(kSignalPollInterval);
    const auto step = candidacy.step(posix::now(), view, posix::stop_signals() > 0);
    if (step == Candidacy::Step::kJoinAgain) {
      join_election(run);
    } else if (step != Candidacy::Step::kWait) {
      return step;
    }
    std::string text = leadership_text(run, view);
    if (!text.empty() && text != last_text) log(last_text = std::move(text));
  }
}

}  // namespace

std::string text_of(const Leader& leader) {
  return fmt::format("{} (pid {})", leader.host, leader.pid);
}

Result<void> read_etcd_keys(PreparedRun& run) {
  const job::CoordinatorSpec& spec = run.config.job.coordinator;
  if (!spec.etcd_ca) return {};
  constexpr std::uint64_t kBytesMax = 1 << 20;
  runtime::EtcdKeys keys;
  SURETY_TRY(keys.authority, posix::read_file(*spec.etcd_ca, kBytesMax));
  SURETY_TRY(keys.certificate, posix::read_file(*spec.etcd_cert, kBytesMax));
  // Without a certificate, TLS would trust the authorities of the system.
  for (const auto& [file, text] :
       {std::pair(spec.etcd_ca, keys.authority), std::pair(spec.etcd_cert, keys.certificate)}) {
    if (const auto read = crypto::read_certificate(text); !read) {
      return fail_in(read.error(), "coordinator: {}", *file);
    }
  }
  SURETY_TRY(posix::check_private_file(*spec.etcd_key, "it is the secret key of etcd's client"));
  SURETY_TRY(keys.private_key, posix::read_file(*spec.etcd_key, kBytesMax));
  run.etcd_keys = std::move(keys);
  return {};
}

void join_election(PreparedRun& run) {
  run.lease_holder.reset();  // The old lease holder gives up its lease first.
  run.lease_holder = std::make_unique<LeaseHolder>(runtime::LeaseHolderOptions{
      .etcd = {run.config.job.coordinator.etcd, run.etcd_keys},
      .run = identity(run.state),
      .self = {.host = posix::host_name(), .pid = static_cast<std::uint32_t>(::getpid())},
      .lease = lease_of(run),
      .end_patience = end_patience(run)});
}

Result<void> check_etcd(const PreparedRun& run) {
  const Duration patience = start_patience(run);
  const Time deadline = posix::now() + patience;
  while (posix::now() < deadline) {
    const CandidateView view = run.lease_holder->wait(kSignalPollInterval);
    if (view.role != Role::kSeeking) return {};
    if (posix::stop_signals() > 0) break;
  }
  const std::string why = run.lease_holder->view().trouble.value_or(
      fmt::format("etcd does not answer at {}", fmt::join(run.config.job.coordinator.etcd, ", ")));
  return fail(ErrorCode::kInvalidInput,
              "coordinator.etcd: {}, for {}; start it, or use --set coordinator.standby=off", why,
              format_duration(patience));
}

Candidacy::Step wait_for_leadership(PreparedRun& run, Candidacy::Aim aim,
                                    const std::function<void(const std::string&)>& log) {
  return take_part(run, Candidacy(aim, Time::max()), log);
}

Result<void> acquire_leadership(PreparedRun& run) {
  if (!run.config.job.coordinator.standby) return {};
  SURETY_TRY(read_etcd_keys(run));
  join_election(run);
  SURETY_TRY(check_etcd(run));
  if (std::filesystem::exists(run.folder)) SURETY_TRY(run.lease_holder->forget_end());
  const Time deadline = posix::now() + lease_of(run) + kLeadPatience;
  const auto no_log = [](const std::string&) {};
  const Candidacy::Step step = take_part(run, Candidacy(Candidacy::Aim::kBegin, deadline), no_log);
  if (step == Candidacy::Step::kLead) return {};
  const std::string folder = run.folder.string();
  if (step == Candidacy::Step::kStop) {
    return fail(ErrorCode::kInvalidInput, "{}: a signal stopped this process before it led the run",
                folder);
  }
  const CandidateView view = run.lease_holder->view();
  if (step == Candidacy::Step::kNobodyLeads) {
    return fail(ErrorCode::kInvalidInput, "coordinator.etcd: nobody was elected to lead {}{}",
                folder, view.trouble ? ": " + *view.trouble : "");
  }
  const std::optional<Leader>& leader = view.leader;
  return fail(ErrorCode::kInvalidInput,
              "{}: the run's coordinator is still running{}; a run has only one coordinator; to "
              "wait for its end:  surety standby {}",
              folder, leader ? ": " + text_of(*leader) : "", shell_word(folder));
}

}  // namespace surety::cli
