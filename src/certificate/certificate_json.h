// certificate.json (docs/certificate.md). Its keys are stable, and every number has its unit in its
// name. Reading gives back what was written without loss; numbers that are not finite are the texts
// "nan", "inf" and "-inf".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "certificate/certificate.h"

namespace surety::certificate {

// How an attempt that does not exist is written in certificate.json and metrics.csv, for example
// that of a model that was trained by a plan. Earlier programs wrote 0, so `surety verify` needs
// this form to compare their files.
enum class NoAttempt : std::uint8_t { kNull, kZero };

[[nodiscard]] std::string to_json(const RunRecord& record, NoAttempt none = NoAttempt::kNull);

// Both forms of NoAttempt are read. InvalidInput if the text is no certificate, with path, found
// and expected. Corrupt if its verdict is not the one that its numbers give.
[[nodiscard]] Result<RunRecord> record_from_json(std::string_view text);

}  // namespace surety::certificate
