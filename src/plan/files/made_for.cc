#include "plan/files/made_for.h"

#include <algorithm>
#include <set>

#include "plan/files/made_for_json.h"

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

// One line for each difference, in the order of the keys.
std::string differences(const MadeFor& found, const MadeFor& job,
                        bool (*is_bound)(std::string_view)) {
  std::set<std::string> aspects;
  for (const auto& [aspect, value] : found.aspects) aspects.insert(aspect);
  for (const auto& [aspect, value] : job.aspects) aspects.insert(aspect);
  const auto differs = [&](const std::string& aspect) {
    return value_of(found, aspect) != value_of(job, aspect);
  };
  std::string text;
  for (const std::string& aspect : aspects) {
    if (!is_bound(aspect) || !differs(aspect)) continue;
    const bool is_name = aspect.ends_with(kSource);
    if (is_name && !differs(aspect.substr(0, aspect.size() - kSource.size()).append(kContent))) {
      continue;
    }
    text += fmt::format("\n  {}: found {}, expected {}", aspect, value_of(found, aspect),
                        value_of(job, aspect));
  }
  return text;
}

}  // namespace

Json json_of(const MadeFor& made_for) {
  Json json = Json::object();
  for (const auto& [aspect, value] : made_for.aspects) json[aspect] = value;
  return json;
}

Result<MadeFor> made_for_of(std::string_view file, const Json& json) {
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidInput, "{}: {}: found {}, expected an object", file, kMadeForKey,
                json.type_name());
  }
  MadeFor made_for;
  for (const auto& [aspect, value] : json.items()) {
    if (!value.is_string()) {
      return fail(ErrorCode::kInvalidInput, "{}: {}.{}: found {}, expected a string", file,
                  kMadeForKey, aspect, value.type_name());
    }
    made_for.aspects[aspect] = value.get<std::string>();
  }
  return made_for;
}

std::string to_json(const MadeFor& made_for) {
  Json json = Json::object();
  json[kMadeForKey] = json_of(made_for);
  return json.dump(2) + "\n";
}

Result<MadeFor> made_for_from_json(std::string_view file, std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(ErrorCode::kInvalidInput, "{}: is not JSON", file);
  if (!json.is_object() || json.size() != 1 || !json.contains(kMadeForKey)) {
    return fail(ErrorCode::kInvalidInput, "{}: expected an object with the one key {}", file,
                kMadeForKey);
  }
  return made_for_of(file, json[kMadeForKey]);
}

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
