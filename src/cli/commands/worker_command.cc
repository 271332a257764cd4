// surety worker: joins a running job with this machine.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/signals.h"
#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "data/text.h"
#include "learn/linear/task_factory.h"
#include "model/zoo.h"
#include "runtime/control/control_client.h"
#include "runtime/worker/worker.h"
#include "runtime/worker_environment.h"

namespace surety::cli {
namespace {

struct WorkerCommandOptions {
  runtime::WorkerOptions worker;
  std::string token_file;
  bool json = false;
};

// libtorch takes most of a second to load, and reads its environment only while it loads. So the
// part that trains networks is a program of its own, started with the environment that it needs.
Result<int> become_dnn_worker(const WorkerCommandOptions& options) {
  const std::string program = sibling_program("surety-worker").string();
  const runtime::WorkerOptions& worker = options.worker;
  const std::uint32_t threads =
      worker.threads > 0 ? worker.threads : static_cast<std::uint32_t>(posix::usable_cores());
  for (const auto& [key, value] : runtime::worker_environment(threads)) {
    ::setenv(key.c_str(), value.c_str(), 1);
  }
  ::setenv("SURETY_TOKEN", worker.token.c_str(), 1);
  std::vector<std::string> arguments{
      program,    "--join",     worker.join, "--threads", std::to_string(threads),
      "--listen", worker.listen};
  if (!worker.node_type.empty()) arguments.insert(arguments.end(), {"--type", worker.node_type});
  if (!worker.advertise.empty())
    arguments.insert(arguments.end(), {"--advertise", worker.advertise});
  if (!worker.data_root.empty())
    arguments.insert(arguments.end(), {"--data-root", worker.data_root});
  if (!worker.spill.empty()) arguments.insert(arguments.end(), {"--spill", worker.spill});
  arguments.insert(arguments.end(),
                   {"--notice", fmt::format("{:.0f}ms", 1e3 * to_seconds(worker.notice)), "--wait",
                    fmt::format("{:.0f}ms", 1e3 * to_seconds(worker.wait))});
  if (options.json) arguments.push_back("--json");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return fail(ErrorCode::kInvalidInput, "this job trains a network, but {} cannot be started: {}",
              program, std::strerror(errno));
}

std::optional<std::uint32_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  std::uint64_t value = 0;
  const bool valid = text != nullptr && data::parse_uint(text, value) && value <= UINT32_MAX;
  return valid ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
}

void add_duration(CLI::App& command, const std::string& name, Duration& value,
                  const std::string& description) {
  command
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            const auto parsed = parse_duration(text);
            if (!parsed) throw CLI::ValidationError(name, parsed.error().message);
            value = *parsed;
          },
          description)
      ->type_name("DURATION");
}

Result<int> work(WorkerCommandOptions& options, const learn::TaskFactory& factory,
                 bool may_hand_over) {
  if (const char* token = std::getenv("SURETY_TOKEN"); token && options.worker.token.empty()) {
    options.worker.token = token;
  }
  if (!options.token_file.empty()) {
    SURETY_TRY(options.worker.token, posix::read_file(options.token_file));
    while (!options.worker.token.empty() && std::isspace(options.worker.token.back())) {
      options.worker.token.pop_back();
    }
  }
  options.worker.launch = number_from("SURETY_LAUNCH");
  if (const char* run = std::getenv("SURETY_RUN")) options.worker.run_folder = run;
  options.worker.on_line = [](const std::string& line) {
    print_message(fmt::format("{}\n", line));
  };
  // Slurm's share of a node may be smaller than the machine.
  if (options.worker.threads == 0) {
    options.worker.threads = number_from("SLURM_CPUS_ON_NODE").value_or(0);
  }
  if (options.worker.token.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "found no token, expected the one in the run's folder: copy the file named token "
                "to this machine, and pass it as --token-file FILE");
  }
  if (may_hand_over) {
    if (!options.json)
      print_message(fmt::format("joining the job at {} ...\n", options.worker.join));
    proto::DescribeRequest request;
    request.set_token(options.worker.token);
    request.set_node_type(options.worker.node_type);
    SURETY_TRY(const proto::JobDescription job,
               runtime::describe_job(options.worker.join, request, options.worker.patience));
    if (!model::is_linear(job.model())) return become_dnn_worker(options);
  }
  posix::count_stop_signals();
  options.worker.runs_dnn = !may_hand_over;
  SURETY_TRY(const std::string reason, runtime::run_worker(options.worker, factory));
  if (options.json) {
    fmt::print("{{\"ended\": \"{}\"}}\n", reason);
  } else {
    fmt::print("worker ended: {}\n", reason);
  }
  return kKept;
}

}  // namespace

void add_worker_options(CLI::App& command, Action& chosen, learn::TaskFactory factory,
                        bool may_hand_over) {
  const auto options = std::make_shared<WorkerCommandOptions>();
  runtime::WorkerOptions& worker = options->worker;
  command.add_option("--join", worker.join, "The coordinator's address")
      ->required()
      ->type_name("HOST:PORT");
  command.add_option("--token", worker.token,
                     "The job's token (default: $SURETY_TOKEN, which other users cannot see)");
  command
      .add_option("--token-file", options->token_file,
                  "File with the token: the run's folder has one, named token")
      ->type_name("FILE");
  command
      .add_option("--type", worker.node_type,
                  "Node type of this machine, one of those in the job (default: the first)")
      ->type_name("NAME");
  command.add_option("--threads", worker.threads, "Number of cores to use (default: all)")
      ->check(not_negative);
  command
      .add_option("--listen", worker.listen,
                  "Address at which other workers reach this one; auto: the interface with the "
                  "route to the coordinator")
      ->type_name("IP:PORT|auto")
      ->capture_default_str();
  command.add_option("--advertise", worker.advertise,
                     "IP address of this machine as seen by others (default: that of --listen)");
  command.add_option("--data-root", worker.data_root,
                     "Folder on this machine that relative data paths start from");
  command
      .add_option("--spill", worker.spill,
                  "Keep samples in a file in this folder, so that they need not fit in memory")
      ->type_name("FOLDER");
  add_duration(command, "--patience", worker.patience,
               "How long to wait for the coordinator to answer (default: 1min)");
  add_duration(
      command, "--notice", worker.notice,
      "Longest time from SIGTERM to leaving; chunks are handed over if it suffices (default: 30s)");
  add_duration(command, "--wait", worker.wait,
               "How long to try to reach a lost coordinator, with all data kept (default: 3min)");
  command.add_flag("--json", options->json, "Print the reason of the end as JSON");
  command.footer(
      "After Ctrl-C or SIGTERM, the worker hands over its chunks and leaves. A second signal\n"
      "ends it at once.\n"
      "Example:\n"
      "  surety worker --join 127.0.0.1:41234 --token-file runs/mnist-1/token");
  command.callback([options, &chosen, factory = std::move(factory), may_hand_over] {
    chosen = [options, factory, may_hand_over] {
      const Result<int> code = work(*options, factory, may_hand_over);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

void add_worker(CLI::App& app, Action& chosen) {
  CLI::App& command = *app.add_subcommand("worker", "Join a running job with this machine");
  add_worker_options(command, chosen, learn::glm_only(), true);
}

}  // namespace surety::cli
