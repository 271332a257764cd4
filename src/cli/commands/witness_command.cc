// surety witness: signs the checkpoints of other people's records, so that nobody can show two
// histories of one run. surety cosign: asks witnesses to sign those of a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/http_url.h"
#include "base/posix/file_lock.h"
#include "base/posix/signals.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/key_options.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "record/witness.h"
#include "runtime/files/keys.h"
#include "runtime/witness/cosign.h"
#include "runtime/witness/witness_server.h"

namespace surety::cli {
namespace {

constexpr std::size_t kShownMax = 200;

// ---- surety witness -----------------------------------------------------------------------------

struct WitnessCommandOptions {
  std::vector<std::string> owners;  // Public keys, or files with them.
  std::string listen = "127.0.0.1:7780";
  std::optional<std::string> state;
};

Result<runtime::WitnessServerOptions> read_listen(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  runtime::WitnessServerOptions options;
  if (colon != std::string::npos && colon > 0) {
    options.host = listen.substr(0, colon);
    if (options.host.starts_with('[') && options.host.ends_with(']')) {
      options.host = options.host.substr(1, options.host.size() - 2);
    }
    const char* const end = listen.data() + listen.size();
    const auto read = std::from_chars(listen.data() + colon + 1, end, options.port);
    if (read.ec == std::errc() && read.ptr == end && colon + 1 < listen.size()) return options;
  }
  return fail(ErrorCode::kInvalidInput,
              "--listen: found \"{}\", expected HOST:PORT, such as 0.0.0.0:7780",
              plain_text(listen, kShownMax));
}

void print_answer(const record::WitnessAnswer& answer) {
  const std::string run = plain_text(answer.origin.value_or(""), kShownMax);
  if (answer.code == 200) {
    print_message(fmt::format("signed {}: {}\n", run, counted(answer.seen.head.size, "record")));
  } else if (answer.is_other_history) {
    print_message(fmt::format("REFUSED {}: its owner has signed another history of it\n", run));
  } else if (answer.code != 409) {  // Else the owner asks where the proof must begin.
    const std::string why = answer.text.substr(0, answer.text.find('\n'));
    print_message(fmt::format("refused ({}): {}\n", answer.code, plain_text(why, kShownMax)));
  }
}

Result<int> serve(const WitnessCommandOptions& options, const record::Signer& signer,
                  const std::filesystem::path& keys) {
  SURETY_TRY(std::vector<record::Verifier> owners,
             read_keys("--owner", record::KeyKind::kLog, options.owners));
  SURETY_TRY(runtime::WitnessServerOptions server_options, read_listen(options.listen));
  const std::string state_file = options.state.value_or((keys / "witnessed").string());
  SURETY_TRY(const auto state, runtime::WitnessState::open(state_file, owners, signer));
  std::mutex mutex;
  server_options.on_answer = [&](const record::WitnessAnswer& answer) {
    const std::lock_guard lock(mutex);
    print_answer(answer);
  };
  SURETY_TRY(const auto server, runtime::WitnessServer::start(*state, server_options));
  print_message(fmt::format(
      "listening at http://{}:{} for the runs of {}\nverify what it has signed with:  surety "
      "verify RUN --key OWNER --witness {}\n",
      options.listen.substr(0, options.listen.rfind(':')), server->port(),
      counted(options.owners.size(), "owner"), record::witness_verifier(signer).text()));
  while (posix::stop_signals() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // What was signed is on disk, so slow callers need not be waited for.
  std::fflush(nullptr);
  std::_Exit(kKept);
}

Result<int> witness(const WitnessCommandOptions& options) {
  posix::count_stop_signals();
  const std::optional<std::filesystem::path> keys = runtime::default_keys();
  SURETY_TRY(const std::optional<record::Signer> signer, runtime::read_signer(keys));
  if (!signer) {
    return fail(ErrorCode::kInvalidInput, "{}: found no key; make one with  surety keys init",
                keys ? keys->string() : "");
  }
  // Two witnesses with one key would sign two histories, each with its own state.
  const Result<posix::FileLock> lock = posix::FileLock::take(*keys / "witness.lock");
  if (!lock) {
    return fail(ErrorCode::kInvalidInput,
                "another witness signs with the key in {}: a key has only one witness",
                keys->string());
  }
  return serve(options, *signer, *keys);
}

// ---- surety cosign ------------------------------------------------------------------------------

struct CosignOptions {
  std::string folder;
  std::vector<std::string> witnesses;  // The URLs to ask.
};

Result<int> cosign(const CosignOptions& options) {
  for (const std::string& url : options.witnesses) {
    if (is_http_url(url)) continue;
    return fail(ErrorCode::kInvalidInput,
                "--witness: found \"{}\", expected a URL such as http://10.0.0.7:7780",
                plain_text(url, kShownMax));
  }
  for (const std::string& url : options.witnesses) {
    SURETY_TRY(const runtime::Cosigned cosigned, runtime::cosign(options.folder, url));
    print_message(fmt::format("{}: {}\n", options.folder, runtime::words_of(cosigned)));
  }
  return kKept;
}

}  // namespace

void add_witness(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<WitnessCommandOptions>();
  CLI::App& command =
      *app.add_subcommand("witness", "Sign that you have seen the journals of other people's runs");
  command
      .add_option("--owner", options->owners,
                  "Public key of an owner whose runs are signed, or a file with it")
      ->required()
      ->type_name("KEY|FILE");
  command.add_option("--listen", options->listen, "The address to listen at")
      ->capture_default_str()
      ->type_name("HOST:PORT");
  command
      .add_option_function<std::string>(
          "--state", store_in(options->state),
          "The file with what it has signed (default: \"witnessed\" beside the key)")
      ->type_name("FILE");
  command.footer(
      "The witness signs that it has seen the first N records of a run. It never signs a second\n"
      "history of the same run, so an owner who rewrites a run is found out. It sees digests\n"
      "only, no record and no data. It signs with the key of  surety keys init,  and runs until\n"
      "it is stopped. Keep the state: a witness that lost it could sign a second history. The\n"
      "protocol is C2SP tlog-witness over HTTP.\n"
      "Example:\n"
      "  surety witness --owner acme.vkey --listen 0.0.0.0:7780");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = witness(*options);
      return code ? *code : report_error(code.error(), false);
    };
  });
}

void add_cosign(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<CosignOptions>();
  CLI::App& command =
      *app.add_subcommand("cosign", "Ask witnesses to sign the journal of a run as it is now");
  command.add_option("run", options->folder, "The run's folder")->required()->type_name("RUN");
  command.add_option("--witness", options->witnesses, "The URL of a witness")
      ->required()
      ->type_name("URL");
  command.footer(
      "The run may have ended, or may still continue. With  record: {witnesses: [URL]}  in the\n"
      "job file, witnesses are asked once a minute and at the end of the run.\n"
      "Example:\n"
      "  surety cosign runs/mnist-1 --witness http://10.0.0.7:7780");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = cosign(*options);
      return code ? *code : report_error(code.error(), false);
    };
  });
}

}  // namespace surety::cli
