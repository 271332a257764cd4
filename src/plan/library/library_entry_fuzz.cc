// Any bytes as an entry of the profile library: an error, or one that survives writing and reading.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "plan/library/library_entry.h"

namespace {

using namespace surety;

void survives(const std::string& text) {
  const auto entry = plan::library_entry_from_json("fuzz", text);
  if (!entry) return;
  const std::string written = plan::to_json(*entry);
  const auto again = plan::library_entry_from_json("again", written);
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(plan::to_json(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  survives(text);
  // What changes a byte would never get past the checksum: here it is made right.
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return 0;
  json.erase("checksum");
  std::string body;
  try {
    body = json.dump();
  } catch (const nlohmann::json::exception&) {
    return 0;  // Bytes that are no text.
  }
  json["checksum"] = fmt::format("{:016x}", checksum(std::as_bytes(std::span(body))));
  survives(json.dump());
  return 0;
}
