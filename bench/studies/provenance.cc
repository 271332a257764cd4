#include "bench/studies/provenance.h"

#include <algorithm>

#include "base/check.h"
#include "plan/files/csv.h"

namespace surety::bench {
namespace {

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '=' && c != '\x7f';
  });
}

}  // namespace

void Provenance::put(std::string key, std::string value) {
  SURETY_CHECK(is_plain(key) && is_plain(value));
  for (auto& [known, its_value] : entries_) {
    if (known == key) {
      its_value = std::move(value);
      return;
    }
  }
  entries_.emplace_back(std::move(key), std::move(value));
}

const std::string* Provenance::find(std::string_view key) const {
  for (const auto& [known, value] : entries_) {
    if (known == key) return &value;
  }
  return nullptr;
}

std::string Provenance::text() const {
  std::string text;
  for (const auto& [key, value] : entries_) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

Result<Provenance> Provenance::parse(std::string_view where, std::string_view text) {
  Provenance provenance;
  for (const std::string_view word : plan::split(text, ' ')) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (!is_plain(key) || !is_plain(value)) {
      return fail(ErrorCode::kInvalidInput, "{}: found '{}', expected key=value", where, word);
    }
    if (provenance.find(key) != nullptr) {
      return fail(ErrorCode::kInvalidInput, "{}: {}: found twice, expected once", where, key);
    }
    provenance.put(std::string(key), std::string(value));
  }
  return provenance;
}

std::string differences(const Provenance& found, const Provenance& expected) {
  std::string text;
  std::vector<std::string> keys;
  for (const auto& [key, value] : expected.entries()) keys.push_back(key);
  for (const auto& [key, value] : found.entries()) {
    if (expected.find(key) == nullptr) keys.push_back(key);
  }
  const auto shown = [](const std::string* value) { return value ? *value : std::string("none"); };
  for (const std::string& key : keys) {
    const std::string was = shown(found.find(key));
    const std::string wanted = shown(expected.find(key));
    if (was == wanted) continue;
    text += fmt::format("{}{}: found {}, expected {}", text.empty() ? "" : "; ", key, was, wanted);
  }
  return text;
}

}  // namespace surety::bench
