#include "certificate/json_archive.h"

#include <cmath>

#include "base/json/parse_json.h"
#include "base/text.h"

namespace surety::certificate::json {
namespace {

constexpr std::string_view kNan = "nan";
constexpr std::string_view kInf = "inf";
constexpr std::string_view kMinusInf = "-inf";

std::string found(const Reader::Json& value) {
  return excerpt(value.dump(-1, ' ', true, Reader::Json::error_handler_t::replace));
}

}  // namespace

Writer::Json Writer::json_of(double value) {
  if (std::isnan(value)) return kNan;
  if (std::isinf(value)) return value > 0 ? kInf : kMinusInf;
  return value;
}

Writer::Json Writer::json_of(const std::map<std::string, std::string>& value) {
  Json object = Json::object();
  for (const auto& [key, text] : value) object[key] = text;
  return object;
}

Reader::Reader(const Json& object, std::string path, std::string& refusal)
    : object_(object), path_(std::move(path)), refusal_(refusal) {
  if (!object_.is_object()) refuse_at(path_.empty() ? "certificate" : path_, object_, "an object");
}

std::string Reader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const Reader::Json* Reader::take(const char* key) {
  if (!refusal_.empty()) return nullptr;
  taken_.emplace_back(key);
  const auto at = object_.find(key);
  if (at != object_.end()) return &*at;
  refusal_ = fmt::format("{}: missing", path_of(key));
  return nullptr;
}

void Reader::refuse(std::string_view key, std::string_view what, std::string_view expected) {
  if (!refusal_.empty()) return;
  refusal_ = fmt::format("{}: found {}, expected {}", path_of(key), what, expected);
}

void Reader::refuse_at(const std::string& path, const Json& value, std::string_view expected) {
  if (!refusal_.empty()) return;
  refusal_ = fmt::format("{}: found {}, expected {}", path, found(value), expected);
}

void Reader::finish() {
  if (!refusal_.empty()) return;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(taken_.begin(), taken_.end(), key) != taken_.end()) continue;
    refusal_ = fmt::format("{}: unknown key", path_of(excerpt(key)));
    return;
  }
}

void Reader::read(const Json& value, const std::string& path, double& out) {
  if (value.is_number()) {
    out = value.get<double>();
  } else if (value == kNan) {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value == kInf || value == kMinusInf) {
    out = (value == kInf ? 1 : -1) * std::numeric_limits<double>::infinity();
  } else {
    refuse_at(path, value, "a number");
  }
}

void Reader::read(const Json& value, const std::string& path, bool& out) {
  if (!value.is_boolean()) return refuse_at(path, value, "true or false");
  out = value.get<bool>();
}

void Reader::read(const Json& value, const std::string& path, std::string& out) {
  if (!value.is_string()) return refuse_at(path, value, "a text");
  out = value.get<std::string>();
}

void Reader::read(const Json& value, const std::string& path, std::uint64_t& out) {
  if (!value.is_number_unsigned()) return refuse_at(path, value, "a whole number from 0");
  out = value.get<std::uint64_t>();
}

void Reader::read(const Json& value, const std::string& path, std::uint32_t& out) {
  std::uint64_t wide = 0;
  read(value, path, wide);
  if (wide > UINT32_MAX) return refuse_at(path, value, "a whole number below 2^32");
  out = static_cast<std::uint32_t>(wide);
}

void Reader::read(const Json& value, const std::string& path,
                  std::map<std::string, std::string>& out) {
  if (!value.is_object()) return refuse_at(path, value, "an object of texts");
  out.clear();
  for (const auto& [key, text] : value.items()) {
    read(text, fmt::format("{}.{}", path, excerpt(key)), out[key]);
  }
}

Result<Reader::Json> parse(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    return fail(ErrorCode::kInvalidInput, "found {} bytes, expected at most {}", text.size(),
                bytes_max);
  }
  return parse_json<Reader::Json>(text);
}

}  // namespace surety::certificate::json
