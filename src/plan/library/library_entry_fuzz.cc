// Arbitrary bytes as an entry of the profile library: the result is an error, or an entry that is
// the same after writing and reading.
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
  // A changed byte would never pass the checksum, so the checksum is corrected here.
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return 0;
  json.erase("checksum");
  std::string body;
  try {
    body = json.dump();
  } catch (const nlohmann::json::exception&) {
    return 0;  // The bytes are not text.
  }
  json["checksum"] = fmt::format("{:016x}", checksum(std::as_bytes(std::span(body))));
  survives(json.dump());
  return 0;
}
