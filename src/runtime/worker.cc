#include "runtime/worker.h"

#include <unistd.h>

#include "base/checksum.h"
#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/route.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "data/posix/open.h"
#include "fabric/ucx/ucx_transport.h"
#include "runtime/alone_transport.h"
#include "runtime/control_client.h"
#include "runtime/local_control.h"
#include "runtime/version.h"
#include "runtime/worker_session.h"

namespace surety::runtime {
namespace {

constexpr auto kIdleLook = std::chrono::milliseconds(100);

// Both ends know the token; the data connections are admitted by a number made of it.
std::uint64_t transport_secret(const std::string& token) {
  const std::string text = "transport" + token;
  return checksum(std::as_bytes(std::span(text)));
}

proto::Hello hello(const WorkerOptions& options, const fabric::Transport& transport) {
  proto::Hello hello;
  hello.set_token(options.token);
  hello.set_host(posix::host_name());
  hello.set_pid(static_cast<std::uint32_t>(::getpid()));
  hello.set_cores(static_cast<std::uint32_t>(posix::usable_cores()));
  hello.set_transport_address(transport.address());
  hello.set_program_version(kVersion);
  hello.set_runs_dnn(options.runs_dnn);
  hello.set_node_type(options.node_type);
  hello.set_launch(options.launch);
  return hello;
}

Result<std::string> listen_address(const WorkerOptions& options) {
  if (options.listen != "auto") return options.listen;
  SURETY_TRY(const std::string local,
             posix::local_address_towards(options.join.substr(0, options.join.rfind(':'))));
  return local + ":0";
}

// How a worker reaches the others, and hears from those who may tell it to go.
struct Surroundings {
  std::unique_ptr<fabric::WakeableTransport> transport;
  std::function<Result<std::unique_ptr<ControlClient>>(const proto::Hello&,
                                                       std::function<void()> wake)>
      connect;
  std::function<int()> stop_signals;  // So far.
};

class Worker {
 public:
  Worker(const WorkerOptions& options, const learn::TaskFactory& factory, Surroundings surroundings)
      : options_(options),
        factory_(factory),
        transport_(std::move(surroundings.transport)),
        connect_(std::move(surroundings.connect)),
        stop_signals_(std::move(surroundings.stop_signals)) {}

  Result<std::string> run() {
    if (!options_.spill.empty()) {
      SURETY_TRY(spill_, posix::SpillMemory::create(options_.spill));
    }
    SURETY_TRY(client_, connect_(hello(options_, *transport_), [this] { transport_->wake(); }));
    while (true) {
      if (const auto command = client_->inbox().take()) {
        if (command->has_bye()) return command->bye().reason();
        obey(*command);
        continue;
      }
      if (const auto ended = client_->ended()) return fail(ErrorCode::kUnavailable, "{}", *ended);
      SURETY_TRY(const bool leave_now, look_at_signals());
      if (leave_now) return std::string("left at once, on a second signal or after the notice");
      wait();
    }
  }

 private:
  void obey(const proto::ToWorker& command) {
    if (command.has_welcome()) {
      const std::uint32_t threads = options_.threads > 0
                                        ? options_.threads
                                        : static_cast<std::uint32_t>(posix::usable_cores());
      WorkerSessionOptions session{
          .factory = factory_, .open = data::local_files(options_.data_root), .threads = threads};
      if (spill_) session.memory = spill_.get();
      session_.emplace(std::move(session), command.welcome(), *transport_,
                       client_->inbox().waiting());
      return;
    }
    if (!session_) return;
    if (const auto answer = session_->handle(command)) client_->send(*answer);
  }

  void wait() {
    if (session_) {
      session_->idle(kIdleLook);
    } else {
      (void)transport_->poll(kIdleLook);
    }
  }

  // True: leave at once.
  Result<bool> look_at_signals() {
    const int signals = stop_signals_();
    if (signals == 0) return false;
    if (!leaving_since_) {
      leaving_since_ = posix::now();
      proto::FromWorker leaving;
      leaving.mutable_leaving()->set_reason("asked to stop");
      client_->send(leaving);
    }
    return signals > 1 || posix::now() - *leaving_since_ > options_.notice;
  }

  const WorkerOptions& options_;
  const learn::TaskFactory& factory_;
  const std::unique_ptr<fabric::WakeableTransport> transport_;
  const decltype(Surroundings::connect) connect_;
  const std::function<int()> stop_signals_;
  std::unique_ptr<ControlClient> client_;      // Ends before the transport, which its thread wakes.
  std::unique_ptr<posix::SpillMemory> spill_;  // Outlives the session, whose samples it has.
  std::optional<WorkerSession> session_;
  std::optional<Time> leaving_since_;
};

}  // namespace

Result<std::string> run_worker(const WorkerOptions& options, const learn::TaskFactory& factory) {
  SURETY_TRY(const std::string listen, listen_address(options));
  SURETY_TRY(auto transport,
             fabric::make_ucx_transport({.transport = {.secret = transport_secret(options.token)},
                                         .listen = listen,
                                         .advertise = options.advertise}));
  const auto connect = [&](const proto::Hello& hello, std::function<void()> wake) {
    return connect_control({.address = options.join, .hello = hello, .wake = std::move(wake)},
                           options.patience);
  };
  return Worker(options, factory, {std::move(transport), connect, posix::stop_signals}).run();
}

Result<std::string> run_worker_inside(const WorkerOptions& options,
                                      const learn::TaskFactory& factory, LocalControl& control) {
  const auto connect = [&](const proto::Hello& hello, std::function<void()> wake) {
    return control.connect(hello, std::move(wake));
  };
  return Worker(options, factory, {std::make_unique<AloneTransport>(), connect, [] { return 0; }})
      .run();
}

}  // namespace surety::runtime
