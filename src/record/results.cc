#include "record/results.h"

#include <algorithm>

#include "base/base64.h"
#include "record/checkpoint.h"
#include "record/lines.h"

namespace surety::record {
namespace {

constexpr std::string_view kFirst = "surety.run results 1";
constexpr std::string_view kDigest = "sha256 ";

tl::unexpected<Error> no_results(std::string_view why) {
  return fail(ErrorCode::kCorrupt, "no list of results: {}", why);
}

// The name of a file in the run's own folder.
bool is_plain(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, is_good);
}

}  // namespace

std::string to_text(const Results& results) {
  // The first line distinguishes it from a checkpoint, which the same key signs.
  std::string text =
      fmt::format("{}\n{}", kFirst, to_text(Checkpoint{results.origin, results.head}));
  for (const auto& [name, digest] : results.files) {
    text += fmt::format("{}{} {}\n", kDigest, base64_encode(digest), name);
  }
  return text;
}

Result<Results> parse_results(std::string_view text) {
  const std::string_view whole = text;
  const auto take_lines = [&](int count) {
    std::size_t end = 0;
    for (; count > 0 && end != std::string_view::npos; --count) {
      end = text.find('\n', end);
      if (end != std::string_view::npos) ++end;
    }
    const std::string_view lines = text.substr(0, end);
    text.remove_prefix(lines.size());
    return lines;
  };
  if (take_lines(1) != fmt::format("{}\n", kFirst)) return no_results("its first line is another");
  SURETY_TRY(Checkpoint checkpoint, parse_checkpoint(take_lines(3)));
  Results results{.origin = std::move(checkpoint.origin), .head = checkpoint.head, .files = {}};
  while (!text.empty()) {
    std::string_view line = take_lines(1);
    if (!line.starts_with(kDigest) || !line.ends_with('\n')) return no_results("a line is no file");
    line = line.substr(kDigest.size(), line.size() - kDigest.size() - 1);
    const std::size_t space = line.find(' ');
    const auto digest = digest_in(line.substr(0, space));
    if (space == std::string_view::npos || !digest || !is_plain(line.substr(space + 1))) {
      return no_results("a line is no file");
    }
    results.files.emplace(line.substr(space + 1), *digest);
  }
  // Each list has exactly one text: its names are in order, and each occurs once.
  if (to_text(results) != whole) return no_results("its files are not in order");
  return results;
}

}  // namespace surety::record
