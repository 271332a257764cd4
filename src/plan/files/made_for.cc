#include "plan/files/made_for.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace surety::plan {
namespace {

constexpr std::string_view kSource = ".source";
constexpr std::string_view kContent = ".content";

bool is_bound_to_profile(std::string_view aspect) {
  if (aspect == "promise.metric") return true;
  if (aspect.starts_with("data.") && aspect.ends_with(".price")) return false;
  return aspect != "train.passes_max" && !aspect.starts_with("promise.") &&
         !aspect.starts_with("cluster.");
}

std::string value_of(const MadeFor& made_for, const std::string& aspect) {
  const auto entry = made_for.aspects.find(aspect);
  return entry == made_for.aspects.end() ? "nothing" : entry->second;
}

// A difference may lie near the end of a path, so the limit is higher than that of an excerpt.
constexpr std::size_t kShownBytesMax = 400;
constexpr std::size_t kShownMax = 50;

std::string shown(const std::string& text) { return plain_text(text, kShownBytesMax); }

// One line for each difference, in the order of the keys, up to kShownMax of them.
std::string differences(const MadeFor& found, const MadeFor& job,
                        bool (*is_bound)(std::string_view)) {
  std::set<std::string> aspects;
  for (const auto& [aspect, value] : found.aspects) aspects.insert(aspect);
  for (const auto& [aspect, value] : job.aspects) aspects.insert(aspect);
  const auto differs = [&](const std::string& aspect) {
    return value_of(found, aspect) != value_of(job, aspect);
  };
  std::string text;
  std::size_t count = 0;
  for (const std::string& aspect : aspects) {
    if (!is_bound(aspect) || !differs(aspect)) continue;
    const bool is_name = aspect.ends_with(kSource);
    if (is_name && !differs(aspect.substr(0, aspect.size() - kSource.size()).append(kContent))) {
      continue;
    }
    if (++count > kShownMax) continue;
    text += fmt::format("\n  {}: found {}, expected {}", shown(aspect),
                        shown(value_of(found, aspect)), shown(value_of(job, aspect)));
  }
  if (count > kShownMax) text += fmt::format("\n  and {} more", count - kShownMax);
  return text;
}

}  // namespace

Result<void> check_plan_made_for(std::string_view file, const MadeFor& found, const MadeFor& job) {
  const std::string lines = differences(found, job, [](std::string_view) { return true; });
  if (lines.empty()) return {};
  return fail(
      ErrorCode::kInvalidInput,
      "{}: this plan was made for another job:{}\nmake one for this job with  surety plan,  "
      "or change the job to what the plan was made for",
      file, lines);
}

Result<void> check_profile_made_for(std::string_view folder, const MadeFor& found,
                                    const MadeFor& job) {
  const std::string lines = differences(found, job, is_bound_to_profile);
  if (lines.empty()) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: this profile was measured for another job:{}\nmeasure this job with  surety "
              "profile,  or name another profile with --profile",
              folder, lines);
}

}  // namespace surety::plan
