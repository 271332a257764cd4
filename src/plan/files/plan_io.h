// Writes plans and infeasible decisions as JSON, and reads them.
//
// A decision is an object with exactly one key, "plan" or "infeasible". Keys are the members'
// names. A missing value (std::optional) is null. Numbers are preserved exactly. A plan.json also
// has the keys "made_for" and "checksum". The checksum shows that a plan was not changed since it
// was written; only a plan by hand may lack it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/files/made_for.h"
#include "plan/plan.h"

namespace surety::plan {

// The text is indented and ends with a line break. REQUIRES: finite numbers, valid UTF-8.
[[nodiscard]] std::string to_json(const Decision& decision);

// Strict. Errors: InvalidInput, with the key, what was found and what was expected, for a key that
// is missing or unknown, a wrong type or word, a negative count, and any plan that could not be
// executed (plan_ranges.h). `file` starts the messages:
// "plan.json: blocks[1].passes: found string, expected a count from 0 to 4294967295".
[[nodiscard]] Result<Decision> decision_from_json(std::string_view file, std::string_view text);

// A larger file is refused before it is parsed.
inline constexpr std::size_t kPlanBytesMax = 64u << 20;

// The content of plan.json.
struct PlanFile {
  MadeFor made_for;
  Decision decision;
};
[[nodiscard]] std::string to_json(const PlanFile& plan_file);
// Equally strict. Errors: InvalidInput also for a file without the key made_for, and for a checksum
// that is missing or does not fit.
[[nodiscard]] Result<PlanFile> plan_file_from_json(std::string_view file, std::string_view text);

}  // namespace surety::plan
