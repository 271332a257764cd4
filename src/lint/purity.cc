#include "lint/purity.h"

#include <fmt/format.h>

#include <string_view>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr const char* kPurity = "purity";

struct Banned {
  std::string_view text;
  std::string_view instead;
};

constexpr std::string_view kTakeTime = "take the time as an argument (base/time.h)";
constexpr std::string_view kTakeBytes =
    "take text or a ByteSource, and open files in a posix folder";
constexpr std::string_view kTakeRandom = "take a seeded Random& (base/random.h)";
constexpr std::string_view kNoThreads = "leave threads and locks to a shell";
constexpr std::string_view kToShell = "move the call to a posix folder and pass its result in";
constexpr std::string_view kOrdered = "use std::map or a sorted vector: order is part of results";

// Names of headers. A name that ends in / stands for all headers below it.
constexpr Banned kBannedHeaders[] = {
    {"thread", kNoThreads},       {"mutex", kNoThreads},
    {"shared_mutex", kNoThreads}, {"condition_variable", kNoThreads},
    {"future", kNoThreads},       {"pthread.h", kNoThreads},
    {"fstream", kTakeBytes},      {"iostream", kTakeBytes},
    {"filesystem", kTakeBytes},   {"fcntl.h", kTakeBytes},
    {"random", kTakeRandom},      {"ctime", kTakeTime},
    {"time.h", kTakeTime},        {"unistd.h", kToShell},
    {"poll.h", kToShell},         {"csignal", kToShell},
    {"signal.h", kToShell},       {"sys/", kToShell},
    {"unordered_map", kOrdered},  {"unordered_set", kOrdered}};

// Words of the code. A word that ends in ( is a call of a free function.
constexpr Banned kWords[] = {
    {"::now(", kTakeTime},           {"time(", kTakeTime},        {"rand(", kTakeRandom},
    {"getenv(", kToShell},           {"std::async", kNoThreads},  {"std::thread", kNoThreads},
    {"unordered_map", kOrdered},     {"unordered_set", kOrdered}, {"unordered_multimap", kOrdered},
    {"unordered_multiset", kOrdered}};

bool is_shell(std::string_view path) {
  if (!path.starts_with("src/")) return true;
  for (const char* folder :
       {"/posix/", "src/fabric/sockets/", "src/runtime/", "src/cli/", "src/lint/"}) {
    if (path.find(folder) != path.npos) return true;
  }
  return path.ends_with("_posix_test.cc") || path.ends_with("_fuzz.cc") ||
         path.ends_with("_bench.cc");
}

// Whether the code has the word as a separate name: not as the end of a longer name, and not as a
// member ("x.time(", "x->time(").
bool uses(std::string_view code, std::string_view word) {
  for (std::size_t at = code.find(word); at != code.npos; at = code.find(word, at + 1)) {
    if (word[0] == ':' || at == 0) return true;
    const char before = code[at - 1];
    const bool member = before == '.' || (before == '>' && at > 1 && code[at - 2] == '-');
    if (!is_word_char(before) && !member) return true;
  }
  return false;
}

const Banned* banned_header(std::string_view line) {
  if (!line.starts_with("#include <")) return nullptr;
  line.remove_prefix(std::string_view("#include <").size());
  const std::string_view header = line.substr(0, line.find('>'));
  for (const Banned& banned : kBannedHeaders) {
    const bool below = banned.text.ends_with('/') && header.starts_with(banned.text);
    if (header == banned.text || below) return &banned;
  }
  return nullptr;
}

const Banned* banned_word(std::string_view code) {
  for (const Banned& banned : kWords) {
    if (uses(code, banned.text)) return &banned;
  }
  return nullptr;
}

}  // namespace

std::vector<Finding> check_purity(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || is_shell(file.path)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const Banned* header = banned_header(file.lines[i]);
      const Banned* banned = header ? header : banned_word(file.code[i]);
      if (!banned) continue;
      const auto what = header ? fmt::format("<{}> in a core; {}", banned->text, banned->instead)
                               : fmt::format("{} in a core; {}", banned->text, banned->instead);
      findings.push_back({file.path, i + 1, kPurity, what});
    }
  }
  return findings;
}

}  // namespace surety::lint
