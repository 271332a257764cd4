// surety invite: lets workers of other machines join a run, and withdraws this.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/read_run.h"
#include "cli/shell_words.h"
#include "cli/usage.h"
#include "job/iso_time.h"
#include "runtime/invitation/invitation_list.h"

namespace surety::cli {
namespace {

constexpr std::int64_t kDay_s = 24 * 60 * 60;
constexpr std::uint32_t kDaysMax = 3650;

struct InviteOptions {
  std::string run;
  std::optional<std::string> worker;  // If it is absent, the invitations are listed.
  std::uint32_t days = 30;
  std::optional<std::string> out;
  bool withdraw = false;
  bool json = false;
};

std::string until_text(std::int64_t until_unix_s) {
  return job::format_iso_time(static_cast<double>(until_unix_s));
}

// The workers that are present now, by the names of their invitations.
std::map<std::string, std::vector<std::uint64_t>> joined_workers(const std::string& run) {
  std::map<std::string, std::vector<std::uint64_t>> joined;
  const Result<ReadRun> read = read_run(run);
  if (!read) return joined;  // The invitations are listed in any case.
  const orchestrator::WorkerHistory& workers = read->state.workers;
  for (const auto& [worker, name] : workers.invited) {
    if (workers.present.contains(worker)) joined[name].push_back(worker.value);
  }
  return joined;
}

int list(const InviteOptions& options, const runtime::InvitationList& invitations) {
  const auto entries = invitations.entries();
  const auto joined = joined_workers(options.run);
  if (options.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& entry : entries) {
      nlohmann::json one{{"worker", entry.worker},
                         {"until", until_text(entry.until_unix_s)},
                         {"certificate_sha256", entry.fingerprint}};
      if (joined.contains(entry.worker)) one["joined_as"] = joined.at(entry.worker);
      all.push_back(std::move(one));
    }
    std::fputs(json_text(nlohmann::json{{"invitations", std::move(all)}}).c_str(), stdout);
    return kKept;
  }
  if (entries.empty()) {
    fmt::print("nobody is invited; invite a machine with  surety invite {} NAME\n",
               shell_word(options.run));
  }
  for (const auto& entry : entries) {
    fmt::print("{}  until {}{}\n", entry.worker, until_text(entry.until_unix_s),
               joined.contains(entry.worker)
                   ? fmt::format("  joined as worker {}", fmt::join(joined.at(entry.worker), ", "))
                   : "");
  }
  return kKept;
}

Result<int> withdraw(const InviteOptions& options, const std::string& worker,
                     const runtime::InvitationList& invitations) {
  SURETY_TRY(invitations.withdraw(worker));
  if (options.json) {
    std::fputs(json_text(nlohmann::json{{"withdrawn", worker}}).c_str(), stdout);
  } else {
    fmt::print(
        "the invitation of {} is withdrawn: workers that joined with it are removed within "
        "seconds\n",
        worker);
  }
  return kKept;
}

Result<int> invite(const InviteOptions& options, const std::string& worker,
                   const runtime::InvitationList& invitations) {
  const std::int64_t until =
      static_cast<std::int64_t>(posix::unix_seconds()) + options.days * kDay_s;
  const std::filesystem::path file = options.out.value_or(worker + ".invitation");
  SURETY_TRY(check_replaceable("--out", file, "the invitation goes"));
  SURETY_TRY(const runtime::Invitation invitation, invitations.make(worker, until));
  const bool replaces = std::ranges::any_of(
      invitations.entries(), [&](const auto& entry) { return entry.worker == worker; });
  // An earlier invitation of this name stays valid until the new one is written.
  SURETY_TRY(posix::write_secret_file(file, to_json(invitation)));
  SURETY_TRY(invitations.add(invitation));
  if (options.json) {
    std::fputs(json_text(nlohmann::json{{"worker", worker},
                                        {"file", file.string()},
                                        {"join", invitation.join},
                                        {"until", until_text(until)}})
                   .c_str(),
               stdout);
  } else {
    fmt::print(
        "wrote {}, which is secret and valid until {}. Copy it to the machine {}, and there:\n"
        "  surety worker --invitation {}\n",
        file.string(), until_text(until), worker, shell_word(file.filename().string()));
    if (replaces) {
      fmt::print(
          "It replaces the earlier invitation of {}: workers that joined with that one are removed "
          "within seconds.\n",
          worker);
    }
  }
  return kKept;
}

Result<int> carry_out(const InviteOptions& options) {
  const runtime::InvitationList invitations(options.run);
  if (!options.worker && options.withdraw) {
    return fail(ErrorCode::kInvalidInput, "--withdraw: expected the name of an invited worker");
  }
  if (!options.worker) return list(options, invitations);
  return options.withdraw ? withdraw(options, *options.worker, invitations)
                          : invite(options, *options.worker, invitations);
}

}  // namespace

void add_invite(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<InviteOptions>();
  CLI::App& command =
      *app.add_subcommand("invite", "Let a worker of another machine join a running job");
  command.add_option("run", options->run, "The run's folder")
      ->required()
      ->type_name("RUN")
      ->check(CLI::ExistingDirectory);
  command
      .add_option_function<std::string>(
          "name", store_in(options->worker),
          "A name for the worker; without it, the invitations are listed")
      ->type_name("NAME");
  command.add_option("--days", options->days, "How long the invitation is valid")
      ->type_name("DAYS")
      ->check(whole_number(1, kDaysMax))
      ->capture_default_str();
  command
      .add_option_function<std::string>("--out", store_in(options->out),
                                        "File to write (default: NAME.invitation)")
      ->type_name("FILE");
  command.add_flag("--withdraw", options->withdraw,
                   "Withdraw the invitation, and remove the workers that joined with it");
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "An invitation is a file for the workers of one person. With it, they can join this run, "
      "but\n"
      "cannot lead it, act as other workers or invite others. It is valid until it expires, is\n"
      "withdrawn or the run ends. The run must have been started with cluster.listen.\n"
      "Examples:\n"
      "  surety invite runs/mnist-1 gpu-3        writes gpu-3.invitation\n"
      "  surety invite runs/mnist-1              lists the invitations\n"
      "  surety invite runs/mnist-1 gpu-3 --withdraw");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = carry_out(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
