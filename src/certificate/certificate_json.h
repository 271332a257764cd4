// certificate.json (docs/certificate.md). Its keys are stable, and every number has its unit in its
// name. Reading gives back what was written without loss; numbers that are not finite are the texts
// "nan", "inf" and "-inf".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "certificate/certificate.h"

namespace surety::certificate {

[[nodiscard]] std::string to_json(const RunRecord& record);

// InvalidInput if the text is no certificate, with path, found and expected. Corrupt if its verdict
// is not the one that its numbers give.
[[nodiscard]] Result<RunRecord> record_from_json(std::string_view text);

}  // namespace surety::certificate
