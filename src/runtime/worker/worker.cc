#include "runtime/worker/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/crypto/derived_key.h"
#include "base/overloaded.h"
#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "base/posix/start_threads.h"
#include "data/posix/open.h"
#include "fabric/sockets/socket_transport.h"
#include "runtime/control/control_client.h"
#include "runtime/control/local_control.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/version.h"
#include "runtime/worker/alone_transport.h"
#include "runtime/worker/call_thread.h"
#include "runtime/worker/successor_watch.h"
#include "runtime/worker/timer_queue.h"
#include "runtime/worker/worker_host.h"
#include "worker/attendance.h"

namespace surety::runtime {
namespace {

constexpr auto kIdlePoll = std::chrono::milliseconds(100);

fabric::TlsKey data_key_of(const Admission& admission) {
  const auto* invitation = std::get_if<Invitation>(&admission);
  return invitation != nullptr ? invitation->data_key
                               : fabric::tls_key_of(std::get<JobToken>(admission).text);
}

proto::Hello hello(const WorkerOptions& options, const fabric::Transport& transport) {
  proto::Hello hello;
  if (options.admission) {
    const auto* token = std::get_if<JobToken>(&*options.admission);
    if (token != nullptr) hello.set_token(token->text);
    hello.set_data_secret(transport_secret(data_key_of(*options.admission)));
  }
  hello.set_host(posix::host_name());
  hello.set_pid(static_cast<std::uint32_t>(::getpid()));
  hello.set_transport_address(transport.address());
  hello.set_program_version(build_name());
  if (options.node_type) hello.set_node_type(*options.node_type);
  if (options.launch) hello.set_launch(*options.launch);
  return hello;
}

bool joins_by_unix(const WorkerOptions& options) {
  return options.join.starts_with(posix::kUnixPrefix);
}

// If the coordinator is reached by a Unix socket or a loopback address, all its workers are on this
// machine, unless the user states how others reach this worker.
Result<std::optional<fabric::NetworkOptions>> network_of(const WorkerOptions& options) {
  if (options.listen) return fabric::NetworkOptions{*options.listen, options.advertise};
  if (joins_by_unix(options)) return std::nullopt;
  SURETY_TRY(const std::string local, posix::local_address_towards(posix::host_part(options.join)));
  if (posix::is_loopback(local) && !options.advertise) return std::nullopt;
  return fabric::NetworkOptions{local + ":0", options.advertise};
}

worker::AttendanceOptions attendance_options(const WorkerOptions& options,
                                             const fabric::Transport& transport) {
  return {.join = options.join,
          .hello = hello(options, transport),
          .binding = {.patience = options.patience, .wait = options.wait},
          .notice = options.notice,
          .run_folder = options.run_folder};
}

worker::FoldersRead read_folders(const worker::ReadFolders& folders) {
  worker::FoldersRead found;
  if (folders.run_folder) {
    std::error_code error;  // A folder that cannot be examined may still exist.
    found.run_is_gone = !std::filesystem::exists(*folders.run_folder, error) && !error;
  }
  if (folders.folder) {
    const Result<std::optional<CoordinatorFile>> file = read_coordinator_file(*folders.folder);
    if (file && *file) {
      found.coordinator = worker::FoldersRead::Coordinator{(*file)->address, (*file)->term};
    }
  }
  return found;
}

Result<std::unique_ptr<posix::SpillMemory>> spill_of(const WorkerOptions& options) {
  if (!options.spill) return nullptr;
  return posix::SpillMemory::create(*options.spill);
}

// How a worker reaches the other workers and a coordinator, and how it learns of stop signals.
struct Surroundings {
  std::unique_ptr<fabric::WakeableTransport> transport;
  std::function<CallThread::Answer(const std::string& address, const proto::Hello&,
                                   std::function<void()> wake, Duration patience)>
      connect;
  std::function<int()> stop_signals;            // Stop signals so far.
  std::unique_ptr<posix::SpillMemory> spill{};  // Null if samples are kept in memory.
};

// Carries out the effects of worker/attendance.h, and returns the resulting events to it.
class Worker {
 public:
  Worker(const WorkerOptions& options, const learn::TaskFactory& factory, Surroundings surroundings)
      : options_(options),
        transport_(std::move(surroundings.transport)),
        stop_signals_(std::move(surroundings.stop_signals)),
        spill_(std::move(surroundings.spill)),
        attendance_(attendance_options(options, *transport_), [this] { return host_.chunks(); }),
        calls_(
            [this, connect = std::move(surroundings.connect)](
                const std::string& address, const proto::Hello& hello, Duration patience) {
              return connect(
                  address, hello, [this] { transport_->wake(); }, patience);
            },
            [this] { transport_->wake(); }),
        host_(host_options(factory), *transport_) {}

  Result<std::string> run() {
    carry_out(attendance_.begin());
    while (!end_) {
      for (; heard_ < stop_signals_(); ++heard_) carry_out(attendance_.on_stop_signal());
      for (const std::uint64_t timer : timers_.take_due(posix::now())) {
        carry_out(attendance_.on_time(posix::now(), timer));
      }
      if (!end_) look_at_coordinator();
    }
    return *end_;
  }

 private:
  WorkerHostOptions host_options(const learn::TaskFactory& factory) {
    WorkerHostOptions host{
        .factory = factory,
        .open = data::local_files(),
        .data_root = options_.data_root,
        .threads = options_.threads.value_or(static_cast<std::uint32_t>(posix::usable_cores())),
        .answer = [this](const proto::FromWorker& answer) { tell(answer); }};
    if (spill_) host.memory = spill_.get();
    return host;
  }

  // ---- events ----

  void look_at_coordinator() {
    if (auto answer = calls_.take_answer()) return on_answer(std::move(*answer));
    if (!client_) return wait();
    // The end of the stream is read before the inbox, because the last commands are in the inbox
    // before the end is reported.
    const std::optional<Error> ended = client_->ended();
    if (auto command = client_->inbox().take()) {
      return carry_out(attendance_.on_message(posix::now(), std::move(*command)));
    }
    if (!ended) return wait();
    hang_up();
    carry_out(attendance_.on_lost(posix::now(), *ended));
  }

  void on_answer(CallThread::Answer answer) {
    if (!answer) return carry_out(attendance_.on_lost(posix::now(), answer.error()));
    client_ = std::move(*answer);
    carry_out(attendance_.on_answered());
  }

  void wait() {
    const Duration patience = std::min<Duration>(kIdlePoll, timers_.until_next(posix::now()));
    if (attendance_.was_welcomed()) {
      host_.poll(patience);
    } else if (client_) {
      // Other workers may already know this worker and send data for its first command. The data
      // stay in the transport until there is a Welcome.
      client_->inbox().wait(patience);
    } else {
      calls_.wait(patience);
    }
  }

  // ---- effects ----

  void carry_out(worker::Effects effects) {
    const Overloaded one{
        [&](const worker::CallCoordinator& call) {
          calls_.call(call.address, call.hello, call.patience);
        },
        [&](const worker::CloseConnection&) { hang_up(); },
        [&](const worker::SendToCoordinator& told) { tell(told.message); },
        [&](const worker::PassWelcome& passed) {
          host_.on_welcome(passed.welcome, passed.keeps_samples);
          if (options_.on_line && !passed.keeps_samples) {
            options_.on_line(fmt::format("joined the run as worker {}", passed.welcome.worker()));
          }
        },
        [&](const worker::PassCommand& passed) { host_.on_command(passed.command); },
        [&](const worker::ReportCoordinatorLost&) { host_.on_coordinator_lost(); },
        [&](const worker::WatchForSuccessor& watch) { watch_for_successor(watch); },
        [&](const worker::ReadFolders& folders) {
          carry_out(attendance_.on_folders_read(read_folders(folders)));
        },
        [&](const worker::WakeAfter& wake) { timers_.set(posix::now() + wake.delay, wake.timer); },
        [&](const worker::LogLine& effect) {
          if (options_.on_line) options_.on_line(effect.line);
        },
        [&](const worker::EndWorker& end) {
          // The connection ends at once. A background computation may take a while to end, and
          // heartbeats until then would report that this worker is alive.
          hang_up();
          end_ = end.why;
        }};
    for (const worker::Effect& effect : effects) std::visit(one, effect);
  }

  void watch_for_successor(const worker::WatchForSuccessor& watch) {
    watch_.reset();
    auto started = posix::start_threads("to watch for a later coordinator", [&] {
      watch_.emplace(watch.folder, watch.term,
                     [this](const CoordinatorFile&) { client_->hang_up(); });
    });
    if (!started) {
      hang_up();
      end_ = tl::unexpected(std::move(started).error());
    }
  }

  void tell(const proto::FromWorker& message) {
    if (client_) client_->send(message);
  }

  void hang_up() {
    watch_.reset();
    client_.reset();
  }

  const WorkerOptions& options_;
  const std::unique_ptr<fabric::WakeableTransport> transport_;
  const std::function<int()> stop_signals_;
  const std::unique_ptr<posix::SpillMemory> spill_;  // Outlives the host, whose samples it holds.
  worker::Attendance attendance_;
  TimerQueue timers_;  // Timers of the attendance.
  int heard_ = 0;      // Stop signals that the attendance knows of.
  std::optional<Result<std::string>> end_;
  // Destroyed before the transport, which its thread wakes. Null if there is no connection.
  std::unique_ptr<ControlClient> client_;
  std::optional<SuccessorWatch> watch_;  // Destroyed before the client, which its thread hangs up.
  CallThread calls_;                     // Destroyed before the transport, which it wakes.
  WorkerHost host_;
};

}  // namespace

std::optional<WorkerKeys> keys_of(const WorkerOptions& options) {
  if (!options.admission) return std::nullopt;
  const auto* invitation = std::get_if<Invitation>(&*options.admission);
  if (invitation == nullptr) return std::nullopt;
  return WorkerKeys{invitation->authority, invitation->identity};
}

std::uint64_t transport_secret(const fabric::TlsKey& key) {
  const std::string_view secret(reinterpret_cast<const char*>(key.data()), key.size());
  const crypto::Key derived = crypto::derive_key(secret, "surety data hello 1");
  std::uint64_t number = 0;
  std::memcpy(&number, derived.data(), sizeof number);
  return number;
}

std::uint64_t transport_secret(const std::string& token) {
  return transport_secret(fabric::tls_key_of(token));
}

Result<std::string> run_worker(const WorkerOptions& options, const learn::TaskFactory& factory) {
  SURETY_CHECK(options.admission.has_value());
  SURETY_TRY(auto network, network_of(options));
  const fabric::TlsKey key = data_key_of(*options.admission);
  SURETY_TRY(auto transport,
             fabric::make_socket_transport(
                 {.transport = {.secret = transport_secret(key)},
                  .key = key,
                  .network = std::move(network),
                  .beside = joins_by_unix(options) ? std::optional(options.join) : std::nullopt}));
  SURETY_TRY(auto spill, spill_of(options));
  const auto connect = [&](const std::string& address, const proto::Hello& hello,
                           std::function<void()> wake, Duration patience) {
    return connect_control(
        {.address = address, .hello = hello, .keys = keys_of(options), .wake = std::move(wake)},
        patience);
  };
  return Worker(options, factory,
                {std::move(transport), connect, posix::stop_signals, std::move(spill)})
      .run();
}

Result<std::string> run_worker_inside(const WorkerOptions& options,
                                      const learn::TaskFactory& factory, LocalControl& control) {
  SURETY_TRY(auto spill, spill_of(options));
  const auto connect = [&](const std::string&, const proto::Hello& hello,
                           std::function<void()> wake,
                           Duration) { return control.connect(hello, std::move(wake)); };
  return Worker(options, factory,
                {std::make_unique<AloneTransport>(), connect, [] { return 0; }, std::move(spill)})
      .run();
}

}  // namespace surety::runtime
