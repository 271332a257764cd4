// Points in time as people write them: ISO 8601, "2026-03-01T18:00:00Z", "2026-03-01 18:00+01:00".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::job {

// Seconds since 1970-01-01T00:00:00Z, without leap seconds. The text is a date, 'T' or a space,
// hours and minutes, optional seconds, and a zone: Z or an offset (+HH:MM). InvalidInput says only
// what is wrong with it.
[[nodiscard]] Result<double> parse_iso_time(std::string_view text);

// Writes the time in UTC, rounded down to whole seconds: "2026-03-01T18:00:00Z".
// REQUIRES: years 0 to 9999.
[[nodiscard]] std::string format_iso_time(double unix_s);

// Whether the text begins like a date, so that an error can mention a point in time.
[[nodiscard]] bool looks_like_iso_time(std::string_view text);

}  // namespace surety::job
