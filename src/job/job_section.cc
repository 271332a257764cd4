#include "job/job_section.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace surety::job {
namespace {

// "job.yaml:7: promise.target", or only "--set promise.target".
std::string place_and_key(const At& at, const yaml::Node& node, std::string_view key) {
  const std::string place = yaml::where(node.place, at.file);
  const std::string path = at.key(key);
  if (path.empty() || node.place.overridden == path) return place;
  return fmt::format("{}: {}", place, excerpt(path));
}

struct Synonym {
  std::string_view word;
  std::string_view key;
};
// Names that other programs use for our keys.
constexpr Synonym kSynonyms[] = {
    {"lr", "learning_rate"},
    {"step_size", "learning_rate"},
    {"epochs", "passes_max"},
    {"max_epochs", "passes_max"},
    {"passes", "passes_max"},
    {"batch_size", "batch"},
    {"minibatch", "batch"},
    {"steps", "local_steps"},
    {"wd", "weight_decay"},
    {"l2", "weight_decay"},
    {"arch", "zoo"},
    {"architecture", "zoo"},
    {"name", "zoo"},
    {"type", "zoo"},
    {"time", "deadline"},
    {"timeout", "deadline"},
    {"confidence_level", "confidence"},
    {"prob", "probability"},
    {"cost", "budget"},
    {"loss", "target"},
    {"workers", "local"},
    {"nodes", "local"},
    {"url", "source"},
    {"path", "source"},
    {"file", "source"},
    {"runs", "seeds"},
    {"repeats", "seeds"},
};

// The known key that the user most likely meant.
std::optional<std::string> meant_by(std::string_view key, const std::vector<std::string>& known) {
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.word != key) continue;
    const auto found = std::find(known.begin(), known.end(), synonym.key);
    if (found != known.end()) return *found;
  }
  return nearest(key, known);
}

}  // namespace

tl::unexpected<Error> refuse_value(const At& at, const yaml::Node& node, std::string_view key,
                                   std::string_view expected, const Refusal& refusal) {
  return fail(ErrorCode::kInvalidInput, "{}: found {}, expected {}{}{}",
              place_and_key(at, node, key), yaml::found(node), expected,
              refusal.why.empty() ? "" : ": ", refusal.why);
}

tl::unexpected<Error> refuse_missing(const At& at, const yaml::Node& map, std::string_view key,
                                     std::string_view expected) {
  return fail(ErrorCode::kInvalidInput, "{}: {}: missing, write {}",
              yaml::where(map.place, at.file), at.key(key), expected);
}

tl::unexpected<Error> refuse_section(const At& at, const yaml::Node& node,
                                     const std::vector<std::string>& required) {
  Refusal refusal;
  if (required.size() == 1 && node.kind == yaml::Kind::kScalar && !node.text.empty()) {
    refusal.why = fmt::format("did you mean {{{}: {}}}?", required.front(), excerpt(node.text));
  }
  return refuse_value(At{at.file, {}}, node, at.path, "a mapping of keys to values", refusal);
}

tl::unexpected<Error> refuse_as(const At& at, const yaml::Node& node, std::string_view key,
                                const Error& error) {
  return fail_in(error, "{}", place_and_key(at, node, key));
}

Result<void> check_known(const At& at, const yaml::Node& map,
                         const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const std::string& key = map.keys[i];
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto meant = meant_by(key, known);
    return fail(ErrorCode::kInvalidInput, "{}: unknown key{}; known keys are {}",
                place_and_key(at, map.children[i], key),
                meant ? fmt::format(", did you mean {}?", *meant) : "", fmt::join(known, ", "));
  }
  return {};
}

}  // namespace surety::job
