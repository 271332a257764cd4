#include "runtime/witness/witness_server.h"

#include <httplib.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "base/posix/clock.h"

namespace surety::runtime {
namespace {

constexpr std::size_t kBodyBytesMax = 64u << 10;
constexpr std::size_t kThreads = 8;
constexpr time_t kSilenceS = 5;

}  // namespace

class WitnessServer::Impl {
 public:
  Impl(WitnessState& state, WitnessServerOptions options)
      : state_(state), options_(std::move(options)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Without SO_REUSEPORT, which is the library's default: two witnesses would share a port.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server_.set_payload_max_length(kBodyBytesMax);
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(kSilenceS);
    server_.set_write_timeout(kSilenceS);
    server_.Post("/add-checkpoint",
                 [this](const httplib::Request& request, httplib::Response& response) {
                   add(request.body, response);
                 });
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start() {
    if (options_.port == 0) {
      port_ = server_.bind_to_any_port(options_.host.c_str());
    } else if (server_.bind_to_port(options_.host.c_str(), options_.port)) {
      port_ = options_.port;
    }
    if (port_ <= 0) {
      return fail(ErrorCode::kUnavailable,
                  "cannot listen at {}:{}: it is no address of this machine, or the port is in use",
                  options_.host, options_.port);
    }
    try {
      thread_ = std::thread([this] { server_.listen_after_bind(); });
    } catch (const std::system_error& error) {  // The system has no thread left at present.
      return fail(ErrorCode::kUnavailable, "{}", error.what());
    }
    // stop() has no effect before the server runs.
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }

  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

 private:
  void add(const std::string& body, httplib::Response& response) {
    const auto now_s = static_cast<std::uint64_t>(posix::unix_seconds());
    const record::WitnessAnswer answer = state_.answer(body, now_s);
    response.status = answer.code;
    response.set_content(answer.text, answer.code == 409 ? "text/x.tlog.size" : "text/plain");
    if (options_.on_answer) options_.on_answer(answer);
  }

  WitnessState& state_;
  WitnessServerOptions options_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

Result<std::unique_ptr<WitnessServer>> WitnessServer::start(WitnessState& state,
                                                            WitnessServerOptions options) {
  auto impl = std::make_unique<Impl>(state, std::move(options));
  SURETY_TRY(impl->start());
  return std::unique_ptr<WitnessServer>(new WitnessServer(std::move(impl)));
}

WitnessServer::WitnessServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WitnessServer::~WitnessServer() = default;
std::uint16_t WitnessServer::port() const { return impl_->port(); }

}  // namespace surety::runtime
