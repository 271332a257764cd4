#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "base/nearest.h"
#include "base/text.h"

namespace surety::cli {
namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto meant = nearest(word, known);
  return meant ? fmt::format("; did you mean {}?", *meant) : "";
}

// The part "--set" of "--set=a=b".
std::string name_of_option(const std::string& word) { return word.substr(0, word.find('=')); }

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  // Commands without a group are not for users (measure).
  const auto is_shown = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(is_shown)) {
    names.push_back(command->get_name());
  }
  const auto word = std::find_if(words.begin(), words.end(),
                                 [](const std::string& text) { return !text.starts_with('-'); });
  if (word == words.end()) {
    return fmt::format("found no command, expected one of {}", fmt::join(names, ", "));
  }
  return fmt::format("found the command {}, expected one of {}{}", excerpt(*word),
                     fmt::join(names, ", "), did_you_mean(*word, names));
}

// Describes the first option that the command does not know; otherwise returns the parser's
// message.
std::string unknown_word(const CLI::App& command, const std::vector<std::string>& words,
                         const CLI::ParseError& error) {
  const std::vector<std::string> known = options_of(command);
  for (const std::string& word : words) {
    const std::string name = name_of_option(word);
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    return fmt::format("found the option {}, expected one of {}{}", excerpt(name),
                       fmt::join(known, ", "), did_you_mean(name, known));
  }
  return plain_text(error.what(), kMessageBytesMax);
}

}  // namespace

std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error) {
  // Find the last command that was understood.
  const CLI::App* command = &app;
  std::string path = app.get_name();
  auto rest = words.begin();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
    rest = std::find(rest, words.end(), command->get_name());
    if (rest != words.end()) ++rest;
  }
  const std::vector<std::string> left(rest, words.end());
  const bool has_commands = !command->get_subcommands([](const CLI::App*) { return true; }).empty();
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const std::string what =
      has_commands ? unknown_command(*command, left)
      : is_extra   ? unknown_word(*command, left, error)
                   : plain_lines(std::string_view(error.what()).substr(0, kMessageBytesMax));
  return fmt::format("{}{}\nsee  {} --help", command == &app ? "" : path + ": ", what, path);
}

std::function<std::string(const std::string&)> whole_number(std::uint64_t min, std::uint64_t max) {
  return [min, max](const std::string& text) {
    std::uint64_t value = 0;
    const char* const stop = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), stop, value);
    // CLI11 would read a number that begins with 0 as an octal one.
    const bool is_plain = end == stop && (value == 0 ? text == "0" : !text.starts_with('0'));
    if (error == std::errc() && is_plain && value >= min && value <= max) return std::string();
    return fmt::format("found {}, expected a whole number from {} to {}", excerpt(text), min, max);
  };
}

std::optional<std::string> empty_word(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_empty_option = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (!word.empty() && !is_empty_option) continue;
    const bool follows_option = word.empty() && i > 0 && words[i - 1].starts_with("--");
    const std::string where = is_empty_option  ? name_of_option(word) + ": "
                              : follows_option ? words[i - 1] + ": "
                                               : "";
    return where + "found an empty text, expected a value: is a variable unset?";
  }
  return std::nullopt;
}

std::function<void(const std::string&)> store_in(std::optional<std::string>& value) {
  return [&value](const std::string& text) { value = text; };
}

}  // namespace surety::cli
