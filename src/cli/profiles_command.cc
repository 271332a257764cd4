// surety profiles: what earlier jobs have taught, for people to look at and to throw away.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/posix/file.h"
#include "cli/commands.h"
#include "cli/library.h"
#include "cli/output.h"
#include "runtime/library_folder.h"

namespace surety::cli {
namespace {

struct ProfilesOptions {
  std::string library;
  std::string id;
  std::string out;
  bool json = false, all = false;
};

struct OpenLibrary {
  std::filesystem::path folder;
  runtime::Library content;
};

Result<OpenLibrary> open_library(const ProfilesOptions& options) {
  OpenLibrary library;
  SURETY_TRY(library.folder, library_folder(options.library));
  SURETY_TRY(library.content, runtime::read_library(library.folder));
  for (const std::string& warning : library.content.warnings) {
    fmt::print(stderr, "left aside: {}\n", warning);
  }
  return library;
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
          {"jobs", entry.lessons.jobs},
          {"passes", entry.lessons.passes},
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
    fmt::print(
        "{}\n",
        nlohmann::json{{"library", library.folder.string()}, {"profiles", profiles}}.dump(2));
    return kKept;
  }
  if (content.ids.empty()) {
    fmt::print("{} has no entries yet: each surety run leaves one\n", library.folder.string());
    return kKept;
  }
  std::size_t width = 2;
  for (const std::string& id : content.ids) width = std::max(width, id.size());
  fmt::print("{:<{}}  {:<10}  {:<8}  {:>4}  {:>6}  {:<10}  finished\n", "id", width, "model",
             "metric", "jobs", "passes", "last");
  for (std::size_t i = 0; i < content.ids.size(); ++i) {
    const plan::LibraryEntry& entry = content.entries[i];
    fmt::print("{:<{}}  {:<10}  {:<8}  {:>4}  {:>6}  {:<10}  {}\n", content.ids[i], width,
               aspect(entry, "model.zoo"), aspect(entry, "promise.metric"), entry.lessons.jobs,
               entry.lessons.passes, entry.outcome, entry.finished);
  }
  return kKept;
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

void print_attempt(const plan::CountedAttempt& attempt) {
  std::string curve;
  // The ends say enough of a long one.
  constexpr std::size_t kEnds = 6;
  for (std::size_t i = 0; i < attempt.metrics.size(); ++i) {
    if (i == kEnds && attempt.metrics.size() > 2 * kEnds) {
      curve += " ...";
      i = attempt.metrics.size() - kEnds;
    }
    curve += fmt::format(" {:.4g}", attempt.metrics[i]);
  }
  fmt::print("  seed {:<4} began with {}{}:{}\n", attempt.seed, attempt.version,
             attempt.confirmed ? "" : ", not confirmed by the certifying samples", curve);
}

Result<int> show(const ProfilesOptions& options) {
  SURETY_TRY(const OpenLibrary library, open_library(options));
  SURETY_TRY(const std::size_t index, find(library, options.id));
  const plan::LibraryEntry& entry = library.content.entries[index];
  if (options.json) {
    fmt::print("{}", plan::to_json(entry));
    return kKept;
  }
  fmt::print("{}: what {} {} taught, the last one {} at {} (surety {})\n", options.id,
             entry.lessons.jobs, entry.lessons.jobs == 1 ? "job" : "jobs", entry.outcome,
             entry.finished, entry.program);
  const bool accuracy = aspect(entry, "promise.metric") == "accuracy";
  fmt::print("first attempts, {} after each pass:\n",
             accuracy ? "1 - accuracy" : aspect(entry, "promise.metric"));
  for (const plan::CountedAttempt& attempt : entry.lessons.first_attempts) print_attempt(attempt);
  fmt::print("it was made for:\n");
  for (const auto& [key, value] : entry.made_for.aspects) fmt::print("  {}: {}\n", key, value);
  return kKept;
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
  fmt::print("forgot {} of {} entries in {}\n", ids.size(), library.content.ids.size(),
             library.folder.string());
  return kKept;
}

Result<int> write_out(const ProfilesOptions& options) {
  SURETY_TRY(const OpenLibrary library, open_library(options));
  SURETY_TRY(const std::size_t index, find(library, options.id));
  const std::string text = plan::to_json(library.content.entries[index]);
  if (options.out.empty()) {
    fmt::print("{}", text);
    return kKept;
  }
  SURETY_TRY(posix::write_file_atomically(options.out, text));
  fmt::print(stderr, "wrote {}: in another machine's library folder it is an entry there\n",
             options.out);
  return kKept;
}

CLI::App& add(CLI::App& parent, const char* name, const char* help,
              Result<int> (*run)(const ProfilesOptions&),
              const std::shared_ptr<ProfilesOptions>& options, Action& chosen) {
  CLI::App& command = *parent.add_subcommand(name, help);
  command
      .add_option("--library", options->library,
                  "The library's folder (default: ~/.local/share/surety/profiles)")
      ->type_name("DIR");
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
      "profiles", "What earlier runs have taught, which the next ones build on");
  command.require_subcommand(1);
  const auto id = [&](CLI::App& of) {
    return of.add_option("id", options->id, "As surety profiles list shows it")->type_name("ID");
  };
  CLI::App& listing =
      add(command, "list", "One line for each entry, oldest first", list, options, chosen);
  listing.add_flag("--json", options->json, "Print it as JSON");
  CLI::App& showing =
      add(command, "show", "One entry: attempts, and which job it is of", show, options, chosen);
  id(showing)->required();
  showing.add_flag("--json", options->json, "Print the whole entry as JSON");
  CLI::App& forgetting =
      add(command, "forget", "Remove an entry, or all of them", forget, options, chosen);
  id(forgetting);
  forgetting.add_flag("--all", options->all, "Remove all entries");
  CLI::App& exporting =
      add(command, "export", "Write one entry as a file, for another machine's library", write_out,
          options, chosen);
  id(exporting)->required();
  exporting.add_option("--out", options->out, "The file (default: standard output)")
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  surety profiles list\n"
      "  surety profiles show quickstart-0123456789abcdef\n"
      "  surety profiles forget --all");
}

}  // namespace surety::cli
