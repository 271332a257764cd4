#include "orchestrator/job_section.h"

#include <fmt/ranges.h>

namespace surety::orchestrator {
namespace {

// "job.yaml:7: promise.target", or only "--set promise.target".
std::string place_and_key(const At& at, const yaml::Node& node, std::string_view key) {
  const std::string place = yaml::where(node.place, at.file);
  const std::string path = at.key(key);
  if (path.empty() || node.place.overridden == path) return place;
  return fmt::format("{}: {}", place, path);
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

Result<void> check_known(const At& at, const yaml::Node& map,
                         const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const std::string& key = map.keys[i];
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto meant = nearest(key, known);
    return fail(ErrorCode::kInvalidInput, "{}: unknown key{}; known keys are {}",
                place_and_key(at, map.children[i], key),
                meant ? fmt::format(", did you mean {}?", *meant) : "", fmt::join(known, ", "));
  }
  return {};
}

}  // namespace surety::orchestrator
