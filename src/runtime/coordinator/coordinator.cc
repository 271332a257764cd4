#include "runtime/coordinator/coordinator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>

#include "base/crypto/random_bytes.h"
#include "base/overloaded.h"
#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/signals.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/slurm/slurm_cluster.h"
#include "orchestrator/workforce/worker_connections.h"
#include "runtime/control/control_server.h"
#include "runtime/control/local_control.h"
#include "runtime/coordinator/catch_up.h"
#include "runtime/coordinator/listen.h"
#include "runtime/coordinator/long_work.h"
#include "runtime/coordinator/process_launcher.h"
#include "runtime/coordinator/thread_launcher.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/invitation/invitation_list.h"
#include "runtime/version.h"
#include "runtime/worker/worker.h"

namespace surety::runtime {
namespace {

using namespace job;
using namespace orchestrator;

constexpr auto kSignalPollInterval = std::chrono::milliseconds(100);
constexpr auto kWorkersGrace = std::chrono::seconds(5);

// Removes only folders below this run's own folder: a copy of a run continues from checkpoints of
// the original, which keeps them. A symbolic link may lead to files of other runs. The removal ends
// before the next effect, because a later checkpoint may have the same folder.
void remove_checkpoint(const std::filesystem::path& run, const std::filesystem::path& folder) {
  std::error_code error;  // A checkpoint that cannot be removed does no harm.
  if (std::filesystem::is_symlink(run / orchestrator::run_folder::kCheckpoints, error)) return;
  const auto own =
      std::filesystem::weakly_canonical(run / orchestrator::run_folder::kCheckpoints, error);
  if (error || own.empty()) return;
  const auto removed = std::filesystem::weakly_canonical(folder, error);
  if (error) return;
  const auto [end, inside] = std::ranges::mismatch(own, removed);
  if (end == own.end() && inside != removed.end()) std::filesystem::remove_all(removed, error);
}

// Calls `act`, which cannot fail.
template <typename Act>
Result<void> done(const Act& act) {
  act();
  return {};
}

class Coordinator {
 public:
  Coordinator(CoordinatorOptions options, JournalFile& journal)
      : options_(std::move(options)),
        journal_(journal),
        machine_(options_.config, options_.state),
        long_work_(options_.measuring_program, options_.folder) {}

  Result<CoordinatorResult> run() {
    const Result<void> led = lead();
    if (!finished_ && options_.lease_holder != nullptr) {
      if (launcher_) launcher_->release_workers();
      if (!options_.lease_holder->leads() || journal_.is_taken_over()) {
        return CoordinatorResult{.finish = std::nullopt, .state = machine_.state()};
      }
    }
    SURETY_TRY(led);
    if (finished_->ending == Ending::kTakenOver) launcher_->release_workers();
    launcher_->finish(kWorkersGrace, connections_.joined());
    return CoordinatorResult{.finish = finished_, .state = machine_.state()};
  }

 private:
  Result<void> lead() {
    const Overloaded prepare{
        [&](const WorkerInside& worker) { return done([&] { prepare_inside(worker); }); },
        [&](const WorkerProcesses& workers) { return prepare_processes(workers); }};
    SURETY_TRY(std::visit(prepare, options_.workers));
    SURETY_TRY(feed(started()));
    while (!finished_) {
      SURETY_TRY(turn());
      report_progress();
    }
    return {};
  }

  void report_progress() const {
    if (options_.on_progress) options_.on_progress(machine_, now_s());
  }

  // Must be checked before anything is written or sent, and again after work that may take long.
  Result<void> check_leads() const {
    if (options_.lease_holder == nullptr || options_.lease_holder->leads()) return {};
    return fail(ErrorCode::kUnavailable, "another coordinator may lead this run");
  }

  // Only the first reading is from the wall clock, which may be changed while the run is on.
  double now_s() const { return began_s_ + to_seconds(posix::boot_time_now() - began_); }

  void prepare_inside(const WorkerInside& worker) {
    auto control = std::make_unique<LocalControl>(inbox_);
    launcher_ = std::make_unique<ThreadLauncher>(
        ThreadLauncherOptions{.factory = worker.factory,
                              .spill = options_.config.job.cluster.spill,
                              .threads = threads_of_each()},
        *control);
    server_ = std::move(control);
  }

  Result<void> prepare_processes(const WorkerProcesses& workers) {
    const ClusterSpec& cluster = options_.config.job.cluster;
    SURETY_TRY(const std::string token, workers.token ? *workers.token : make_token());
    const ListenWish wish{.wanted = workers.listen ? workers.listen : cluster.listen,
                          .last = workers.last_address,
                          .others_may_lead = options_.lease_holder != nullptr};
    SURETY_TRY(auto server, listen(wish, token));
    const std::string address = server->address();
    server_ = std::move(server);
    remaining_find_us_ = remaining_find(wish, address);
    SURETY_TRY(check_leads());
    SURETY_TRY(write_coordinator_file(
        options_.folder, {.address = address, .token = token, .term = options_.state.term}));
    if (workers.on_listening) workers.on_listening(address, token);
    launcher_ = std::make_unique<ProcessLauncher>(
        ProcessLauncherOptions{.program = workers.program,
                               .is_surety = workers.is_surety,
                               .join = address,
                               .token = token,
                               .folder = std::filesystem::canonical(options_.folder),
                               .wait = from_seconds(cluster.wait_s),
                               .spill = cluster.spill,
                               .threads = threads_of_each(),
                               .slurm = workers.slurm,
                               .slurm_spec = cluster.slurm.value_or(SlurmSpec{})});
    return {};
  }

  Result<std::unique_ptr<ListeningServer>> listen(const ListenWish& wish,
                                                  const std::string& token) {
    const ClusterSpec& cluster = options_.config.job.cluster;
    ControlServerOptions server{
        .token = token,
        .admits =
            [list = InvitationList(options_.folder)](const InvitedCaller& caller) {
              return list.admits(caller.worker, caller.fingerprint,
                                 static_cast<std::int64_t>(posix::unix_seconds()));
            },
        .rules = {.data_secret = transport_secret(token),
                  .version = build_name(),
                  .node_types = {}},
        .job = {}};
    server.job.set_model(options_.config.job.model.zoo);
    for (const NodeTypeSpec& type : cluster.nodes) server.rules.node_types.push_back(type.name);
    Result<std::unique_ptr<ListeningServer>> served;
    for (const ListenAddress& address : listen_addresses(wish)) {
      served = listen_at(address, server, inbox_);
      if (served) break;
      if (!address.remaining_call_here) continue;
      log_line(fmt::format("the workers of the last coordinator will not find this one: {}",
                           served.error().message));
    }
    return served;
  }

  // The first event. It names the workers of the run's last coordinator that still run.
  Started started() {
    if (options_.state.term == 1) return {};
    return {.remaining = launcher_->adopt_running(), .remaining_find_us = remaining_find_us_};
  }

  std::uint32_t threads_of_each() const {
    return options_.config.job.cluster.threads_of_each(
        static_cast<std::uint32_t>(posix::usable_cores()));
  }

  // Handles one event, or the passing of time.
  Result<void> turn() {
    SURETY_TRY(check_leads());
    const double patience_s =
        std::clamp(machine_.deadline_s() - now_s(), 0.0, to_seconds(kSignalPollInterval));
    auto event = inbox_.take(from_seconds(patience_s));
    if (const Duration pause = readers_.pause(posix::now()); pause > Duration::zero()) {
      std::this_thread::sleep_for(pause);
    }
    // The result of long work comes before all other events, and before the passing of time: this
    // process may have been suspended for longer than the work may take.
    const auto result = finished_ ? std::nullopt : long_work_.poll();
    if (result) SURETY_TRY(feed(*result));
    // Events that arrived while this process was suspended are handled before any worker counts as
    // silent.
    for (; event && !finished_; event = inbox_.take()) SURETY_TRY(translate(*event));
    if (!finished_ && now_s() >= machine_.deadline_s()) SURETY_TRY(feed(Tick{}));
    for (const WorkerEnd& end : launcher_->take_ended()) {
      SURETY_TRY(feed(WorkerProcessEnded{end.what, launcher_->running(), end.type,
                                         connections_.joined().contains(end.launch),
                                         connections_.last_of(end.launch)}));
    }
    if (const auto nodes = launcher_->take_available(posix::now())) {
      const std::string& type = allocation_type(options_.config.job.cluster).name;
      SURETY_TRY(feed(NodesAvailable{{type, *nodes}}));
    }
    if (!finished_ && posix::stop_signals() > 0) SURETY_TRY(feed(StopRequested{}));
    return {};
  }

  Result<void> translate(const ConnectionEvent& event) {
    if (const auto* opened = std::get_if<ConnectionOpened>(&event)) {
      const proto::Hello& hello = opened->hello;
      const bool is_launch = hello.has_launch() && launcher_->has(hello.launch());
      const auto launch = is_launch ? std::optional(hello.launch()) : std::nullopt;
      return feed(connections_.on_opened(opened->connection, hello, launch, opened->invitation));
    }
    if (const auto* message = std::get_if<ConnectionMessage>(&event)) {
      const std::optional<WorkerId> worker = connections_.worker_of(message->connection);
      if (!worker) return {};
      const auto noticed = connections_.on_notice(message->connection, message->message);
      if (noticed) launcher_->on_notice(*noticed);
      return feed(orchestrator::message_of(*worker, message->message));
    }
    const auto& closed = std::get<ConnectionClosed>(event);
    const std::optional<WorkerId> worker = connections_.on_closed(closed.connection);
    if (!worker) return {};
    return feed(orchestrator::ConnectionLost{*worker, closed.reason});
  }

  // The machine learns the result of an effect after all effects of the event are carried out, so
  // that the journal has the facts in the machine's order.
  Result<void> feed(const Event& event) {
    for (const Effect& effect : machine_.step(now_s(), event)) SURETY_TRY(carry_out(effect));
    SURETY_TRY(journal_.sync());
    for (const WorkersNotStarted& failure : std::exchange(not_started_, {})) {
      SURETY_TRY(feed(failure));
    }
    return {};
  }

  void start(const plan::NodeCount& nodes) {
    for (std::uint32_t started = 0; started < nodes.count; ++started) {
      const Result<void> one = launcher_->start(nodes.type);
      if (one) continue;
      not_started_.push_back({{nodes.type, nodes.count - started}, one.error().message});
      return;
    }
  }

  Result<void> carry_out(const Effect& effect) {
    SURETY_TRY(check_leads());
    if (needs_records(effect)) {
      SURETY_TRY(journal_.sync());
      SURETY_TRY(check_leads());
    }
    // One case for each effect, so that the compiler finds one that is missing.
    const Overloaded one{
        [&](const Append& append) { return journal_.append(append.record); },
        [&](const Log& line) { return done([&] { log_line(line.text, line.detail); }); },
        [&](const Admit& admit) {
          return done([&] { connections_.admit(admit.connection, admit.worker); });
        },
        [&](const Send& message) { return done([&] { send(message.command); }); },
        [&](const Disconnect& gone) {
          return done([&] {
            const auto connection = connections_.remove(gone.worker);
            if (connection) server_->close(*connection);
          });
        },
        [&](const StartWorkers& workers) { return done([&] { start(workers.nodes); }); },
        [&](const EndRemainingWorkers&) {
          return done([&] { launcher_->finish({}, connections_.joined()); });
        },
        // The results come after all effects of the present step.
        [&](const MeasureAgain&) { return done([&] { long_work_.measure(); }); },
        [&](const MakePlan& order) { return done([&] { long_work_.plan(order); }); },
        [&](const RemoveCheckpoint& remove) {
          return done([&] { remove_checkpoint(options_.folder, remove.folder); });
        },
        [&](const Finish& finish) { return done([&] { finished_ = finish; }); }};
    return std::visit(one, effect);
  }

  void send(const Command& command) {
    const std::optional<std::uint64_t> connection = connections_.of(command.to);
    if (!connection) return;
    proto::ToWorker message = command.message;
    // The machine does not know the run's folder, in which a later coordinator writes its address.
    if (message.has_welcome() && options_.lease_holder != nullptr) {
      message.mutable_welcome()->set_folder(std::filesystem::absolute(options_.folder).string());
    }
    server_->send(*connection, std::move(message));
  }

  // Reports progress first, so that the times of lines only grow.
  void log_line(const std::string& line, bool detail = false) {
    report_progress();
    if (options_.on_line) options_.on_line(now_s(), line, detail);
  }

  CoordinatorOptions options_;
  JournalFile& journal_;
  JobMachine machine_;
  Inbox<ConnectionEvent> inbox_;
  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<Launcher> launcher_;
  bool remaining_find_us_ =
      false;  // Whether the workers of the run's last coordinator find this one.
  WorkerConnections connections_;
  std::vector<WorkersNotStarted> not_started_;
  LongWork long_work_;
  std::optional<Finish> finished_;
  CatchUp readers_;
  // The time at which this coordinator began, by its own clock and in seconds of the run.
  const Time began_ = posix::boot_time_now();
  const double began_s_ = posix::unix_seconds() - options_.started_unix_s;
};

}  // namespace

Result<CoordinatorResult> run_coordinator(CoordinatorOptions options, JournalFile& journal) {
  std::error_code error;
  std::filesystem::create_directories(options.folder / "logs", error);
  if (error) {
    return fail(ErrorCode::kUnavailable, "{}: cannot make this folder: {}",
                (options.folder / "logs").string(), error.message());
  }
  return Coordinator(std::move(options), journal).run();
}

Result<std::string> make_token() {
  std::array<std::uint64_t, 2> words{};
  SURETY_TRY(crypto::random_bytes(std::as_writable_bytes(std::span(words))));
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace surety::runtime
