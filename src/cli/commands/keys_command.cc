// surety keys: makes and shows the key that signs the records of runs.
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/posix/cpu.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "record/witness.h"
#include "runtime/files/keys.h"

namespace surety::cli {
namespace {

struct KeysOptions {
  std::optional<std::string> name;
  bool witness = false;  // Show the key with which this user's witness signs.
  bool json = false;
};

Result<std::filesystem::path> keys_folder() {
  std::optional<std::filesystem::path> folder = runtime::default_keys();
  if (folder) return *std::move(folder);
  return fail(ErrorCode::kInvalidInput,
              "found neither HOME nor XDG_CONFIG_HOME in the environment, expected one with the "
              "path of a folder");
}

std::string user_at_host() {
  const passwd* user = ::getpwuid(::geteuid());
  return fmt::format("{}@{}", user == nullptr ? "user" : user->pw_name, posix::host_name());
}

int print_key(const record::Verifier& verifier, const std::filesystem::path& folder, bool json) {
  const std::string key = verifier.text();
  if (json) {
    std::fputs(json_text(nlohmann::json{{"key", key}, {"folder", folder.string()}}).c_str(),
               stdout);
  } else {
    fmt::print("{}\n", key);
  }
  return kKept;
}

Result<int> init(const KeysOptions& options) {
  SURETY_TRY(const std::filesystem::path folder, keys_folder());
  SURETY_TRY(const record::Signer signer,
             runtime::create_signer(folder, options.name.value_or(user_at_host())));
  if (!options.json) {
    print_message(
        fmt::format("made a key in {}: from now on the records of your runs are signed. Keep this "
                    "folder secret, and give others the public key:\n",
                    folder.string()));
  }
  return print_key(signer.verifier(), folder, options.json);
}

Result<int> show(const KeysOptions& options) {
  SURETY_TRY(const std::filesystem::path folder, keys_folder());
  SURETY_TRY(const std::optional<record::Signer> signer, runtime::read_signer(folder));
  if (signer) {
    return print_key(options.witness ? record::witness_verifier(*signer) : signer->verifier(),
                     folder, options.json);
  }
  return fail(ErrorCode::kInvalidInput, "{}: found no key; make one with  surety keys init",
              folder.string());
}

}  // namespace

void add_keys(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<KeysOptions>();
  CLI::App& command =
      *app.add_subcommand("keys", "Make and show the key that signs the records of your runs");
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help,
                       Result<int> (*run)(const KeysOptions&)) -> CLI::App& {
    CLI::App& one = *command.add_subcommand(name, help);
    one.add_flag("--json", options->json, "Print the result as JSON");
    one.footer(fmt::format("Example:\n  surety keys {}", name));
    one.callback([options, run, &chosen] {
      chosen = [options, run] {
        const Result<int> code = run(*options);
        return code ? *code : report_error(code.error(), options->json);
      };
    });
    return one;
  };
  add("init", "Make a key; from then on runs are signed", init)
      .add_option_function<std::string>("--name", store_in(options->name),
                                        "The name of the key (default: USER@HOST)")
      ->type_name("NAME");
  add("show", "Print the public key, which others need to verify your runs", show)
      .add_flag("--witness", options->witness,
                "Print the key with which  surety witness  signs the records of others");
  command.footer(
      "Examples:\n"
      "  surety keys init --name acme\n"
      "  surety keys show > acme.vkey");
}

}  // namespace surety::cli
