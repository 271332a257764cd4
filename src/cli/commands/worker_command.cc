// surety worker: joins a running job with this machine.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/private_file.h"
#include "base/posix/signals.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/network_program.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "data/text.h"
#include "learn/linear/task_factory.h"
#include "model/zoo.h"
#include "runtime/control/control_client.h"
#include "runtime/worker/worker.h"

namespace surety::cli {
namespace {

constexpr std::uint32_t kThreadsMax = 1024;  // More than any machine has cores for one worker.

struct WorkerCommandOptions {
  runtime::WorkerOptions worker;
  std::optional<std::string> token;
  std::optional<std::string> token_file;
  std::optional<std::string> invitation_file;
  bool json = false;
};

std::string milliseconds_text(Duration duration) {
  return fmt::format("{:.0f}ms", 1e3 * to_seconds(duration));
}

Result<int> become_network_worker(const WorkerCommandOptions& options) {
  const runtime::WorkerOptions& worker = options.worker;
  const std::uint32_t threads =
      worker.threads.value_or(static_cast<std::uint32_t>(posix::usable_cores()));
  // An invited worker uses no token, so the new program must not find one either.
  ::setenv("SURETY_TOKEN", options.token.value_or("").c_str(), 1);
  std::vector<std::string> arguments{"--join", worker.join, "--threads", std::to_string(threads)};
  const auto pass_on = [&](const std::string& name, const std::optional<std::string>& value) {
    if (value) arguments.insert(arguments.end(), {name, *value});
  };
  pass_on("--invitation", options.invitation_file);
  pass_on("--listen", worker.listen);
  pass_on("--type", worker.node_type);
  pass_on("--advertise", worker.advertise);
  pass_on("--data-root", worker.data_root);
  pass_on("--spill", worker.spill);
  pass_on("--patience", milliseconds_text(worker.patience.value_or(Duration::zero())));
  pass_on("--notice", milliseconds_text(worker.notice));
  pass_on("--wait", milliseconds_text(worker.wait.value_or(Duration::zero())));
  if (options.json) arguments.push_back("--json");
  return become_network_program(threads, std::move(arguments), "this job trains a network");
}

std::optional<std::uint32_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  std::uint64_t value = 0;
  const bool valid = text != nullptr && data::parse_uint(text, value) && value <= UINT32_MAX;
  return valid ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
}

void add_duration(CLI::App& command, const std::string& name, std::function<void(Duration)> take,
                  const std::string& description) {
  command
      .add_option_function<std::string>(
          name,
          [take = std::move(take), name](const std::string& text) {
            const auto parsed = parse_duration(text);
            if (!parsed) throw CLI::ValidationError(name, parsed.error().message);
            take(*parsed);
          },
          description)
      ->type_name("DURATION");
}

// On the command line, a duration of 0 means that the worker does not wait.
std::function<void(Duration)> unless_zero(std::optional<Duration>& value) {
  return [&value](Duration given) {
    value = given > Duration::zero() ? std::optional(given) : std::nullopt;
  };
}

// Adds an option with a text. The text `absent` means the same as no option.
CLI::Option& add_text(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                      const std::string& description, const std::string& absent = "") {
  return *command.add_option_function<std::string>(
      name,
      [&value, absent](const std::string& text) {
        value = text.empty() || text == absent ? std::nullopt : std::optional(text);
      },
      description);
}

// Returns what is wrong with the address of a coordinator; empty if nothing is (as CLI11 wants).
std::string address_fault(const std::string& address) {
  if (address.starts_with(posix::kUnixPrefix)) return "";
  const std::size_t colon = address.rfind(':');
  std::uint64_t port = 0;
  const bool is_valid = colon != std::string::npos && colon > 0 &&
                        data::parse_uint(address.substr(colon + 1), port) && port > 0 &&
                        port <= UINT16_MAX;
  return is_valid ? "" : fmt::format("found {}, expected HOST:PORT or unix:PATH", address);
}

// An invited worker does not use a token, which the environment may have for other runs.
Result<void> read_invitation_of(WorkerCommandOptions& options) {
  if (!options.invitation_file) return {};
  SURETY_TRY(runtime::Invitation invitation,
             runtime::read_invitation(*options.invitation_file,
                                      static_cast<std::int64_t>(posix::unix_seconds())));
  options.token.reset();
  if (options.worker.join.empty()) options.worker.join = invitation.join;
  options.worker.admission = std::move(invitation);
  const std::string wrong = address_fault(options.worker.join);
  if (wrong.empty()) return {};
  return fail(ErrorCode::kInvalidInput, "{}: join: {}", *options.invitation_file, wrong);
}

// The token of the file comes before that of the command line, and this before the environment's.
Result<void> read_token_of(WorkerCommandOptions& options) {
  if (const char* token = std::getenv("SURETY_TOKEN"); token && *token && !options.token) {
    options.token = token;
  }
  if (options.token_file) {
    SURETY_TRY(posix::check_private_file(*options.token_file,
                                         "whoever has the token can do everything in the run"));
    SURETY_TRY(std::string token, posix::read_file(*options.token_file));
    while (!token.empty() && std::isspace(token.back())) token.pop_back();
    if (token.empty()) {
      return fail(ErrorCode::kInvalidInput,
                  "--token-file {}: found an empty file, expected the token", *options.token_file);
    }
    options.token = std::move(token);
  }
  if (options.token && first_byte_not_utf8(*options.token)) {
    return fail(ErrorCode::kInvalidInput,
                "found a token with a byte that is not UTF-8, expected the token of a run: its "
                "folder has a file with it");
  }
  if (options.token) options.worker.admission = runtime::JobToken{*options.token};
  return {};
}

Result<int> work(WorkerCommandOptions& options, const learn::TaskFactory& factory,
                 bool may_replace_program) {
  if (options.worker.node_type && first_byte_not_utf8(*options.worker.node_type)) {
    return fail(ErrorCode::kInvalidInput,
                "--type: found a byte that is not UTF-8, expected the name of a node type of the "
                "job");
  }
  SURETY_TRY(read_token_of(options));
  options.worker.launch = number_from("SURETY_LAUNCH");
  if (const char* run = std::getenv("SURETY_RUN"); run && *run) options.worker.run_folder = run;
  options.worker.on_line = [](const std::string& line) {
    print_message(fmt::format("{}\n", line));
  };
  // Slurm may give the job only a part of the cores of the node.
  if (!options.worker.threads) options.worker.threads = number_from("SLURM_CPUS_ON_NODE");
  SURETY_TRY(read_invitation_of(options));
  if (options.worker.join.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "found neither --invitation nor --join, expected the file of an invitation, or the "
                "coordinator's address with --token-file");
  }
  if (!options.worker.admission) {
    return fail(ErrorCode::kInvalidInput,
                "found no token and no invitation, expected one of the two: on the coordinator's "
                "machine,  surety invite RUN NAME  writes an invitation; copy it to this machine, "
                "and pass it as --invitation FILE");
  }
  if (may_replace_program) {
    if (!options.json)
      print_message(fmt::format("joining the job at {} ...\n",
                                plain_text(options.worker.join, kHostBytesMax)));
    proto::DescribeRequest request;
    if (options.token) request.set_token(*options.token);
    if (options.worker.node_type) request.set_node_type(*options.worker.node_type);
    const Duration patience = options.worker.patience.value_or(Duration::zero());
    SURETY_TRY(const proto::JobDescription job,
               runtime::describe_job(options.worker.join, request, patience,
                                     runtime::keys_of(options.worker)));
    if (!model::is_linear(job.model())) return become_network_worker(options);
  }
  posix::count_stop_signals();
  SURETY_TRY(const std::string reason, runtime::run_worker(options.worker, factory));
  if (options.json) {
    fmt::print("{}\n", json_text(nlohmann::json{{"ended", reason}}));
  } else {
    fmt::print("worker ended: {}\n", reason);
  }
  return kKept;
}

// Options that say which run the worker joins, and why it may.
void add_admission_options(CLI::App& command, WorkerCommandOptions& options) {
  command
      .add_option("--join", options.worker.join,
                  "The coordinator's address (default: that of the invitation)")
      ->type_name("HOST:PORT|unix:PATH")
      ->check(address_fault);
  command
      .add_option_function<std::string>(
          "--invitation", store_in(options.invitation_file),
          "File that  surety invite  has written on the coordinator's machine")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--token", store_in(options.token),
          "The job's token (default: $SURETY_TOKEN, which other users cannot see)")
      ->excludes("--invitation");
  command
      .add_option_function<std::string>(
          "--token-file", store_in(options.token_file),
          "File with the token: the run's folder has one, named token")
      ->type_name("FILE")
      ->excludes("--invitation");
}

}  // namespace

void add_worker_options(CLI::App& command, Action& chosen, learn::TaskFactory factory,
                        bool may_replace_program) {
  const auto options = std::make_shared<WorkerCommandOptions>();
  runtime::WorkerOptions& worker = options->worker;
  add_admission_options(command, *options);
  add_text(command, "--type", worker.node_type,
           "Node type of this machine, one of those in the job (default: the first)")
      .type_name("NAME");
  command
      .add_option_function<std::uint32_t>(
          "--threads",
          [&worker](std::uint32_t threads) {
            worker.threads = threads > 0 ? std::optional(threads) : std::nullopt;
          },
          fmt::format("Number of cores to use, at most {} (default: all)", kThreadsMax))
      ->check(whole_number(0, kThreadsMax));
  add_text(command, "--listen", worker.listen,
           "Address at which other workers reach this one; auto: the interface with the route to "
           "the coordinator",
           "auto")
      .type_name("IP:PORT|auto")
      ->default_str("auto");
  add_text(command, "--advertise", worker.advertise,
           "IP address of this machine as seen by others (default: that of --listen)");
  add_text(command, "--data-root", worker.data_root,
           "Folder of this machine with the job's data, if it is another one than on the "
           "coordinator's machine");
  add_text(command, "--spill", worker.spill,
           "Keep samples in a file in this folder, so that they need not fit in memory")
      .type_name("FOLDER");
  add_duration(command, "--patience", unless_zero(worker.patience),
               "How long to wait for the coordinator to answer (default: 1min)");
  add_duration(
      command, "--notice", [&worker](Duration notice) { worker.notice = notice; },
      "Longest time from SIGTERM to leaving; chunks are handed over if it suffices (default: 30s)");
  add_duration(command, "--wait", unless_zero(worker.wait),
               "How long to try to reach a lost coordinator, with all data kept (default: 3min)");
  command.add_flag("--json", options->json, "Print the reason of the end as JSON");
  command.footer(
      "After Ctrl-C or SIGTERM, the worker hands over its chunks and leaves. A second signal\n"
      "ends it at once.\n"
      "Examples:\n"
      "  surety worker --invitation gpu-3.invitation\n"
      "  surety worker --join 127.0.0.1:41234 --token-file runs/mnist-1/token");
  command.callback([options, &chosen, factory = std::move(factory), may_replace_program] {
    chosen = [options, factory, may_replace_program] {
      const Result<int> code = work(*options, factory, may_replace_program);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

void add_worker(CLI::App& app, Action& chosen) {
  CLI::App& command = *app.add_subcommand("worker", "Join a running job with this machine");
  add_worker_options(command, chosen, learn::glm_only(), true);
}

}  // namespace surety::cli
