#include "bench/ucx/ucx_context.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "base/check.h"

namespace surety::fabric {
namespace {

struct ConfigDeleter {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};

Result<void> check(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return {};
  return fail(ErrorCode::kUnavailable, "UCX: {}: {}", what, text_of(status));
}

bool is_unset(const char* name) { return std::getenv(name) == nullptr; }

// Sets options that UCX keeps for the whole process, in libucs, which libucp loads. The function is
// looked up by name because only libucp is linked. Without it UCX only logs more.
void set_process_defaults() {
  using SetValue = ucs_status_t (*)(const char* name, const char* value);
  const auto set = reinterpret_cast<SetValue>(dlsym(RTLD_DEFAULT, "ucs_global_opts_set_value"));
  if (set == nullptr) return;
  if (is_unset("UCX_LOG_LEVEL")) set("LOG_LEVEL", "fatal");
  if (is_unset("UCX_WARN_UNUSED_ENV_VARS")) set("WARN_UNUSED_ENV_VARS", "n");
}

Result<std::unique_ptr<ucp_config_t, ConfigDeleter>> make_config(const std::string& interface) {
  ucp_config_t* raw = nullptr;
  SURETY_TRY(check(ucp_config_read(nullptr, nullptr, &raw), "reading the configuration"));
  std::unique_ptr<ucp_config_t, ConfigDeleter> config(raw);
  if (is_unset("UCX_TLS")) {
    SURETY_TRY(check(ucp_config_modify(raw, "TLS", "tcp"), "choosing TCP"));
  }
  if (is_unset("UCX_RNDV_THRESH")) {
    SURETY_TRY(check(ucp_config_modify(raw, "RNDV_THRESH", "128K"), "setting RNDV_THRESH"));
  }
  if (is_unset("UCX_NET_DEVICES") && !interface.empty()) {
    SURETY_TRY(check(ucp_config_modify(raw, "NET_DEVICES", interface.c_str()), "choosing devices"));
  }
  return config;
}

Result<ucp_context_h> make_context(const ucp_config_t* config) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  ucp_context_h context = nullptr;
  SURETY_TRY(check(ucp_init(&params, config, &context), "starting"));
  return context;
}

Result<ucp_worker_h> make_worker(ucp_context_h context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  SURETY_TRY(check(ucp_worker_create(context, &params, &worker), "creating a worker"));
  return worker;
}

}  // namespace

std::string text_of(ucs_status_t status) {
  switch (status) {
    case UCS_OK:
      return "success";
    case UCS_ERR_UNREACHABLE:
    case UCS_ERR_NOT_CONNECTED:
    case UCS_ERR_REJECTED:
      return "the connection was refused";
    case UCS_ERR_CONNECTION_RESET:
    case UCS_ERR_ENDPOINT_TIMEOUT:
      return "the connection was lost";
    case UCS_ERR_CANCELED:
      return "the connection was closed";
    case UCS_ERR_BUSY:
      return "the address is in use";
    case UCS_ERR_INVALID_ADDR:
      return "the address is not one of this machine";
    case UCS_ERR_NO_DEVICE:
      return "UCX finds no network device (it searches in /sys, which must be mounted)";
    case UCS_ERR_NO_MEMORY:
      return "there is not enough memory";
    default:
      return fmt::format("status {}", static_cast<int>(status));
  }
}

Result<std::unique_ptr<UcxContext>> UcxContext::make(const std::string& interface) {
  set_process_defaults();
  SURETY_TRY(const auto config, make_config(interface));
  std::unique_ptr<UcxContext> made(new UcxContext());
  SURETY_TRY(const ucp_context_h context, make_context(config.get()));
  made->context_.reset(context);
  SURETY_TRY(const ucp_worker_h worker, make_worker(context));
  made->worker_.reset(worker);
  SURETY_TRY(check(ucp_worker_get_efd(worker, &made->worker_fd_), "waking up by file descriptor"));
  made->wake_fd_ = posix::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!made->wake_fd_.is_open()) return posix::fail_errno(errno, "eventfd", "make");
  return made;
}

bool UcxContext::sleep(Duration wait) {
  // Arming fails while there is something to progress; then there is no reason to sleep.
  const ucs_status_t armed = ucp_worker_arm(worker_.get());
  if (armed != UCS_OK) wait = Duration::zero();
  std::array<pollfd, 2> fds{pollfd{.fd = worker_fd_, .events = POLLIN, .revents = 0},
                            pollfd{.fd = wake_fd_.get(), .events = POLLIN, .revents = 0}};
  wait = std::max(wait, Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
  const int ready = ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
  SURETY_CHECK(ready >= 0 || errno == EINTR);
  std::uint64_t count = 0;
  return ready > 0 && ::read(wake_fd_.get(), &count, sizeof(count)) == sizeof(count);
}

void UcxContext::wake() {
  const std::uint64_t one = 1;
  // The write fails only if the counter is full, and then the sleeping thread is already awake.
  [[maybe_unused]] const auto written = ::write(wake_fd_.get(), &one, sizeof(one));
}

}  // namespace surety::fabric
