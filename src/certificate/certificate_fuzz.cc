// Any bytes read as a certificate: they are refused, or give a record that survives writing and
// reading, and that a summary and a report can be made of.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "certificate/certificate.h"
#include "certificate/certificate_json.h"
#include "certificate/record_text.h"
#include "certificate/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::certificate;
  const auto record = record_from_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!record) return 0;
  const std::string written = to_json(*record);
  const auto again = record_from_json(written);
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(to_json(*again) == written);
  SURETY_CHECK(!summary(*record).empty());
  SURETY_CHECK(!report_html(*record).empty());
  return 0;
}
