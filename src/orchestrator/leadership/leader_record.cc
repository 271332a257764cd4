#include "orchestrator/leadership/leader_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json/parse_json.h"

namespace surety::orchestrator {
namespace {

constexpr std::size_t kTextBytesMax = 16 << 10;

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<nlohmann::json> parse(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return fail(ErrorCode::kCorrupt, "a record of {} bytes, expected one line", text.size());
  }
  Result<nlohmann::json> json = parse_json<nlohmann::json>(text);
  if (json && json->is_object()) return json;
  return fail(ErrorCode::kCorrupt, "a record that is not a JSON object");
}

tl::unexpected<Error> expected(const char* what) {
  return fail(ErrorCode::kCorrupt, "a record without {}", what);
}

// Whether the value is a whole number that fits the field.
bool is_count(const nlohmann::json& json, const char* key, std::uint64_t max) {
  const auto at = json.find(key);
  return at != json.end() && at->is_number_unsigned() && at->get<std::uint64_t>() <= max;
}

bool is_text(const nlohmann::json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string();
}

std::string key_of(std::string_view run, std::string_view name) {
  std::string key = fmt::format("/surety/{}/{}", run, name);
  std::replace(key.begin(), key.end(), ' ', '_');  // Without spaces a shell needs no quotes.
  return key;
}

}  // namespace

std::string to_json(const Leader& leader) {
  return dump({{"host", leader.host}, {"pid", leader.pid}});
}

std::string to_json(const RunEnd& end) {
  // With escapes, six times as long, the record still fits.
  constexpr std::size_t kReasonBytesMax = 2 << 10;
  return dump({{"exit_code", end.exit_code}, {"reason", end.reason.substr(0, kReasonBytesMax)}});
}

Result<Leader> leader_from_json(std::string_view text) {
  SURETY_TRY(const nlohmann::json json, parse(text));
  if (!is_text(json, "host")) return expected("a host");
  if (!is_count(json, "pid", UINT32_MAX)) return expected("a pid");
  return Leader{.host = json["host"], .pid = json["pid"]};
}

Result<RunEnd> run_end_from_json(std::string_view text) {
  SURETY_TRY(const nlohmann::json json, parse(text));
  if (!is_count(json, "exit_code", 255)) return expected("an exit code from 0 to 255");
  if (!is_text(json, "reason")) return expected("a reason");
  return RunEnd{.exit_code = json["exit_code"], .reason = json["reason"]};
}

std::string leader_key(std::string_view run) { return key_of(run, "leader"); }
std::string end_key(std::string_view run) { return key_of(run, "end"); }

}  // namespace surety::orchestrator
