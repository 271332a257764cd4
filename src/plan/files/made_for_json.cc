#include "plan/files/made_for_json.h"

#include "base/json/parse_json.h"
#include "base/text.h"

namespace surety::plan {

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
                  kMadeForKey, excerpt(aspect), value.type_name());
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
  const Result<Json> parsed = parse_json<Json>(text);
  if (!parsed) return fail_in(parsed.error(), "{}", file);
  const Json& json = *parsed;
  if (!json.is_object() || json.size() != 1 || !json.contains(kMadeForKey)) {
    return fail(ErrorCode::kInvalidInput, "{}: expected an object with the one key {}", file,
                kMadeForKey);
  }
  return made_for_of(file, json[kMadeForKey]);
}

}  // namespace surety::plan
