#include "runtime/worker/worker.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/checksum.h"
#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/route.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "base/units.h"
#include "data/posix/open.h"
#include "fabric/ucx/ucx_transport.h"
#include "runtime/control/control_client.h"
#include "runtime/control/local_control.h"
#include "runtime/version.h"
#include "runtime/worker/alone_transport.h"
#include "runtime/worker/successor_watch.h"
#include "runtime/worker/worker_host.h"
#include "worker/coordinator_binding.h"

namespace surety::runtime {
namespace {

constexpr auto kIdleLook = std::chrono::milliseconds(100);

proto::Hello hello(const WorkerOptions& options, const fabric::Transport& transport) {
  proto::Hello hello;
  hello.set_token(options.token);
  hello.set_host(posix::host_name());
  hello.set_pid(static_cast<std::uint32_t>(::getpid()));
  hello.set_cores(static_cast<std::uint32_t>(posix::usable_cores()));
  hello.set_transport_address(transport.address());
  hello.set_program_version(build_name());
  hello.set_runs_dnn(options.runs_dnn);
  hello.set_node_type(options.node_type);
  if (options.launch) hello.set_launch(*options.launch);
  return hello;
}

Result<std::string> listen_address(const WorkerOptions& options) {
  if (options.listen != "auto") return options.listen;
  SURETY_TRY(const std::string local,
             posix::local_address_towards(options.join.substr(0, options.join.rfind(':'))));
  return local + ":0";
}

// How a worker reaches the other workers, and learns that it must go.
struct Surroundings {
  std::unique_ptr<fabric::WakeableTransport> transport;
  std::function<Result<std::unique_ptr<ControlClient>>(
      const std::string& address, const proto::Hello&, std::function<void()> wake,
      Duration patience)>
      connect;
  std::function<int()> stop_signals;  // Stop signals so far.
};

// How long one call waits for an answer.
constexpr auto kCallPatience = std::chrono::milliseconds(500);

class Worker {
 public:
  Worker(const WorkerOptions& options, const learn::TaskFactory& factory, Surroundings surroundings)
      : options_(options),
        factory_(factory),
        transport_(std::move(surroundings.transport)),
        connect_(std::move(surroundings.connect)),
        stop_signals_(std::move(surroundings.stop_signals)),
        binding_({.patience = options.patience, .wait = options.wait}) {}

  Result<std::string> run() {
    if (!options_.spill.empty()) {
      SURETY_TRY(spill_, posix::SpillMemory::create(options_.spill));
    }
    SURETY_TRY(call(options_.patience));
    while (true) {
      SURETY_TRY(const bool leave_now, look_at_signals());
      if (leave_now) return std::string("left at once, on a second signal or after the notice");
      if (!client_) {
        SURETY_TRY(call_again());
      } else if (const auto command = client_->inbox().take()) {
        if (command->has_bye()) return command->bye().reason();
        obey(*command);
      } else if (const auto ended = client_->ended()) {
        SURETY_TRY(lose(*ended));
      } else {
        wait(kIdleLook);
      }
    }
  }

 private:
  Result<void> call(Duration patience) {
    proto::Hello hello = runtime::hello(options_, *transport_);
    binding_.introduce(hello);
    if (host_) {
      for (const ChunkId chunk : host_->chunks()) hello.add_chunks(chunk.value);
    }
    SURETY_TRY(client_, connect_(
                            address(), hello, [this] { transport_->wake(); }, patience));
    return {};
  }

  // The coordinator's address, from the run's folder or from the process that started us.
  std::string address() const {
    const std::optional<std::string> folder = binding_.folder();
    const auto later =
        folder ? later_coordinator(*folder, binding_.last_welcome()->epoch() - 1) : std::nullopt;
    return later ? later->address : options_.join;
  }

  void hang_up() {
    watch_.reset();
    client_.reset();
  }

  void obey(const proto::ToWorker& command) {
    if (command.has_welcome()) {
      welcome(command.welcome());
    } else if (host_) {
      host_->on_command(command);
    }
  }

  void welcome(const proto::Welcome& welcome) {
    const worker::Welcomed welcomed = binding_.welcome(welcome);
    if (welcomed == worker::Welcomed::kRefused) {
      say(fmt::format(
          "this worker refused coordinator {} of this run: coordinator {} has taken it over",
          welcome.epoch(), binding_.last_welcome()->epoch()));
      hang_up();
      return;
    }
    watch_for_successor();
    if (host_ && welcomed == worker::Welcomed::kAgain) {
      host_->on_welcome(welcome, true);
      say(fmt::format("this process is worker {} of coordinator {} now; {} chunks are still here",
                      welcome.worker(), welcome.epoch(), host_->chunks().size()));
      return;
    }
    host_.reset();
    const std::uint32_t threads =
        options_.threads > 0 ? options_.threads : static_cast<std::uint32_t>(posix::usable_cores());
    WorkerHostOptions host{.factory = factory_,
                           .open = data::local_files(options_.data_root),
                           .threads = threads,
                           .answer = [this](const proto::FromWorker& answer) {
                             if (client_) client_->send(answer);
                           }};
    if (spill_) host.memory = spill_.get();
    host_.emplace(std::move(host), *transport_);
    host_->on_welcome(welcome, false);
  }

  // A stopped coordinator keeps its connections, and the current command may wait for ever.
  void watch_for_successor() {
    watch_.reset();
    const std::optional<std::string> folder = binding_.folder();
    if (!folder) return;
    watch_.emplace(*folder, binding_.last_welcome()->epoch(),
                   [this](const CoordinatorFile&) { client_->hang_up(); });
  }

  // ---- without a coordinator ----

  Result<void> lose(const Error& why) {
    const bool is_first = !binding_.is_lost();
    SURETY_TRY(binding_.lose(posix::now(), why));
    hang_up();
    if (host_) host_->on_coordinator_lost();
    if (host_ && is_first) {
      say(fmt::format("{}; keeping {} chunks and {} for {}", why.message, host_->chunks().size(),
                      binding_.folder() ? "looking for the next one"
                                        : fmt::format("calling {} again", options_.join),
                      format_duration(binding_.limit())));
    }
    return {};
  }

  Result<void> call_again() {
    SURETY_TRY(const Duration pause, binding_.next_pause(posix::now()));
    std::error_code error;
    if (!options_.run_folder.empty() && !std::filesystem::exists(options_.run_folder, error)) {
      return fail(
          ErrorCode::kUnavailable,
          "the run's folder {} is not there any more, so this worker ends. If it was moved, the "
          "run is resumed from where it is now (--resume --out FOLDER), with new workers",
          options_.run_folder);
    }
    wait(pause);
    const Result<void> called = call(kCallPatience);
    if (called || called.error().code == ErrorCode::kUnavailable) return {};
    return called;
  }

  void wait(Duration patience) {
    if (host_) {
      host_->poll(patience);
    } else if (client_) {
      // Other workers may know us already and send data for our first command. It stays in the
      // transport until there is a host to keep it.
      client_->inbox().wait(patience);
    } else {
      (void)transport_->poll(patience);
    }
  }

  // Returns true if the worker must leave at once.
  Result<bool> look_at_signals() {
    const int signals = stop_signals_();
    if (signals == 0) return false;
    if (!leaving_since_) {
      leaving_since_ = posix::now();
      binding_.leave();
      proto::FromWorker leaving;
      leaving.mutable_leaving()->set_reason("asked to stop");
      if (client_) client_->send(leaving);
    }
    return signals > 1 || posix::now() - *leaving_since_ > options_.notice;
  }

  void say(const std::string& line) {
    if (options_.on_line) options_.on_line(line);
  }

  const WorkerOptions& options_;
  const learn::TaskFactory& factory_;
  const std::unique_ptr<fabric::WakeableTransport> transport_;
  const decltype(Surroundings::connect) connect_;
  const std::function<int()> stop_signals_;
  // Destroyed before the transport, which its thread wakes. Null if the coordinator is lost.
  std::unique_ptr<ControlClient> client_;
  std::optional<SuccessorWatch> watch_;  // Destroyed before the client, which its thread hangs up.
  std::unique_ptr<posix::SpillMemory> spill_;  // Outlives the host, whose samples it holds.
  std::optional<WorkerHost> host_;             // Absent before the first Welcome.
  std::optional<Time> leaving_since_;
  worker::CoordinatorBinding binding_;
};

}  // namespace

std::uint64_t transport_secret(const std::string& token) {
  const std::string text = "transport" + token;
  return checksum(std::as_bytes(std::span(text)));
}

Result<std::string> run_worker(const WorkerOptions& options, const learn::TaskFactory& factory) {
  SURETY_TRY(const std::string listen, listen_address(options));
  SURETY_TRY(auto transport,
             fabric::make_ucx_transport({.transport = {.secret = transport_secret(options.token)},
                                         .listen = listen,
                                         .advertise = options.advertise}));
  const auto connect = [&](const std::string& address, const proto::Hello& hello,
                           std::function<void()> wake, Duration patience) {
    return connect_control({.address = address, .hello = hello, .wake = std::move(wake)}, patience);
  };
  return Worker(options, factory, {std::move(transport), connect, posix::stop_signals}).run();
}

Result<std::string> run_worker_inside(const WorkerOptions& options,
                                      const learn::TaskFactory& factory, LocalControl& control) {
  const auto connect = [&](const std::string&, const proto::Hello& hello,
                           std::function<void()> wake,
                           Duration) { return control.connect(hello, std::move(wake)); };
  return Worker(options, factory, {std::make_unique<AloneTransport>(), connect, [] { return 0; }})
      .run();
}

}  // namespace surety::runtime
