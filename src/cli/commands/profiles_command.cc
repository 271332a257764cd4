// surety profiles: shows the knowledge from earlier jobs, and deletes it on request.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/posix/file.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/library.h"
#include "cli/usage.h"
#include "runtime/files/library_folder.h"

namespace surety::cli {
namespace {

struct ProfilesOptions {
  std::optional<std::string> library;
  std::string id;
  std::optional<std::string> out;
  bool json = false;
  bool all = false;
};

struct OpenLibrary {
  std::filesystem::path folder;
  runtime::Library content;
};

// Text for a person. The name of an entry's file, what it was made for, and warnings may have any
// characters. The reader checks its other texts.
std::string shown(std::string_view text) { return plain_text(text, kMessageBytesMax); }

Result<OpenLibrary> open_library(const ProfilesOptions& options) {
  OpenLibrary library;
  SURETY_TRY(library.folder, library_folder(options.library));
  SURETY_TRY(library.content, runtime::read_library(library.folder));
  for (const std::string& warning : library.content.warnings) {
    fmt::print(stderr, "ignored: {}\n", shown(warning));
  }
  return library;
}

// Prints to standard output, which may be a file on a full disk.
Result<int> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return kKept;
  return fail(ErrorCode::kUnavailable, "cannot write to standard output");
}

std::string aspect(const plan::LibraryEntry& entry, const std::string& key) {
  const auto found = entry.made_for.aspects.find(key);
  return found == entry.made_for.aspects.end() ? "-" : found->second;
}

nlohmann::json as_json(const std::string& id, const plan::LibraryEntry& entry) {
  return {{"id", id},
          {"job", entry.job},
          {"model", aspect(entry, "model.zoo")},
          {"metric", aspect(entry, "promise.metric")},
          {"jobs", entry.earlier_jobs.jobs},
          {"passes", entry.earlier_jobs.passes},
          {"outcome", entry.outcome},
          {"finished", entry.finished}};
}

Result<int> list(const ProfilesOptions& options) {
  SURETY_TRY(const OpenLibrary library, open_library(options));
  const runtime::Library& content = library.content;
  if (options.json) {
    nlohmann::json profiles = nlohmann::json::array();
    for (std::size_t i = 0; i < content.ids.size(); ++i) {
      profiles.push_back(as_json(content.ids[i], content.entries[i]));
    }
    return print(
        json_text(nlohmann::json{{"library", library.folder.string()}, {"profiles", profiles}}));
  }
  if (content.ids.empty()) {
    return print(fmt::format("{} has no entries yet: each surety run adds one\n",
                             shown(library.folder.string())));
  }
  std::size_t width = 2;
  for (const std::string& id : content.ids) width = std::max(width, id.size());
  constexpr const char* kRow = "{:<{}}  {:<12}  {:<15}  {:>4}  {:>6}  {:<10}  {}\n";
  std::string text = fmt::format(fmt::runtime(kRow), "id", width, "model", "metric", "jobs",
                                 "passes", "last", "finished");
  for (std::size_t i = 0; i < content.ids.size(); ++i) {
    const plan::LibraryEntry& entry = content.entries[i];
    text += fmt::format(fmt::runtime(kRow), shown(content.ids[i]), width,
                        shown(aspect(entry, "model.zoo")), shown(aspect(entry, "promise.metric")),
                        entry.earlier_jobs.jobs, entry.earlier_jobs.passes, entry.outcome,
                        entry.finished);
  }
  return print(text);
}

Result<std::size_t> find(const OpenLibrary& library, const std::string& id) {
  const auto& ids = library.content.ids;
  const auto found = std::ranges::find(ids, id);
  if (found != ids.end()) return static_cast<std::size_t>(found - ids.begin());
  return fail(ErrorCode::kInvalidInput,
              "{}: found no such entry in {}, expected one of those that  surety profiles list  "
              "shows",
              id, library.folder.string());
}

std::string attempt_line(const plan::CountedAttempt& attempt) {
  std::string curve;
  // For a long curve, only the two ends are printed.
  constexpr std::size_t kEnds = 6;
  for (std::size_t i = 0; i < attempt.metrics.size(); ++i) {
    if (i == kEnds && attempt.metrics.size() > 2 * kEnds) {
      curve += " ...";
      i = attempt.metrics.size() - kEnds;
    }
    curve += fmt::format(" {:.4g}", attempt.metrics[i]);
  }
  return fmt::format("  seed {:<4} began with {}{}:{}\n", attempt.seed, attempt.version,
                     attempt.confirmed ? "" : ", not confirmed by the certifying samples", curve);
}

Result<int> show(const ProfilesOptions& options) {
  SURETY_TRY(const OpenLibrary library, open_library(options));
  SURETY_TRY(const std::size_t index, find(library, options.id));
  const plan::LibraryEntry& entry = library.content.entries[index];
  if (options.json) return print(plan::to_json(entry));
  std::string text =
      fmt::format("{}: results of {} {}, the last one {} at {} (surety {})\n", shown(options.id),
                  entry.earlier_jobs.jobs, entry.earlier_jobs.jobs == 1 ? "job" : "jobs",
                  entry.outcome, entry.finished, entry.program);
  const std::string metric = aspect(entry, "promise.metric");
  text += fmt::format("first attempts, {} after each pass:\n",
                      metric == "accuracy" ? "1 - accuracy" : shown(metric));
  for (const plan::CountedAttempt& one : entry.earlier_jobs.first_attempts)
    text += attempt_line(one);
  text += "the entry was made for:\n";
  for (const auto& [key, value] : entry.made_for.aspects) {
    text += fmt::format("  {}: {}\n", shown(key), shown(value));
  }
  return print(text);
}

Result<int> forget(const ProfilesOptions& options) {
  if (options.all == !options.id.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "surety profiles forget: expected the ID of an entry, or --all");
  }
  SURETY_TRY(const OpenLibrary library, open_library(options));
  const std::vector<std::string> ids =
      options.all ? library.content.ids : std::vector<std::string>{options.id};
  for (const std::string& id : ids) SURETY_TRY(runtime::forget_entry(library.folder, id));
  if (options.json) return print(json_text(nlohmann::json{{"forgot", ids}}));
  return print(fmt::format("removed {} of {} entries in {}\n", ids.size(),
                           library.content.ids.size(), shown(library.folder.string())));
}

Result<int> write_out(const ProfilesOptions& options) {
  SURETY_TRY(const OpenLibrary library, open_library(options));
  SURETY_TRY(const std::size_t index, find(library, options.id));
  const std::string text = plan::to_json(library.content.entries[index]);
  if (!options.out) return print(text);
  SURETY_TRY(check_replaceable("--out", *options.out, "the entry goes"));
  SURETY_TRY(posix::write_file_atomically(*options.out, text));
  fmt::print(stderr, "wrote {}; copy it into the library folder of the other machine\n",
             *options.out);
  return kKept;
}

CLI::App& add(CLI::App& parent, const char* name, const char* example, const char* help,
              Result<int> (*run)(const ProfilesOptions&),
              const std::shared_ptr<ProfilesOptions>& options, Action& chosen) {
  CLI::App& command = *parent.add_subcommand(name, help);
  command
      .add_option_function<std::string>(
          "--library", store_in(options->library),
          "The library's folder (default: ~/.local/share/surety/profiles)")
      ->type_name("DIR");
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.footer(fmt::format("Example:\n  surety profiles {} {}", name, example));
  command.callback([options, run, &chosen] {
    chosen = [options, run] {
      const Result<int> code = run(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
  return command;
}

}  // namespace

void add_profiles(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ProfilesOptions>();
  CLI::App& command = *app.add_subcommand(
      "profiles", "Show or remove the results of earlier runs, which later runs use");
  command.require_subcommand(1);
  const auto id = [&](CLI::App& of) {
    return of.add_option("id", options->id, "The entry's ID, as shown by surety profiles list")
        ->type_name("ID");
  };
  const char* kId = "quickstart-0123456789abcdef";
  add(command, "list", "", "List the entries, oldest first, one per line", list, options, chosen);
  id(add(command, "show", kId, "Show one entry: its attempts, and the job that it was made for",
         show, options, chosen))
      ->required();
  CLI::App& forgetting =
      add(command, "forget", "--all",
          "Remove an entry; later entries for the same data contain its results, too", forget,
          options, chosen);
  id(forgetting);
  forgetting.add_flag("--all", options->all, "Remove all entries");
  CLI::App& exporting = add(command, "export", "quickstart-0123456789abcdef --out entry.json",
                            "Write one entry to a file, for the library of another machine",
                            write_out, options, chosen);
  id(exporting)->required();
  exporting
      .add_option_function<std::string>("--out", store_in(options->out),
                                        "The file (default: standard output)")
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  surety profiles list\n"
      "  surety profiles show quickstart-0123456789abcdef\n"
      "  surety profiles forget --all");
}

}  // namespace surety::cli
