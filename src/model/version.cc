#include "model/version.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace surety::model {
namespace {

constexpr std::string_view kFull = "full";
constexpr std::string_view kPrune = "prune:";

}  // namespace

bool is_full(std::string_view text) { return text == kFull; }

Result<Version> parse_version(std::string_view text) {
  if (is_full(text)) return Version{};
  if (!text.starts_with(kPrune)) {
    return fail(ErrorCode::kInvalidInput,
                "model version '{}': expected 'full' or 'prune:F', like 'prune:0.5'",
                excerpt(text));
  }
  const Result<double> fraction = parse_number(text.substr(kPrune.size()));
  if (!fraction || !(*fraction > 0 && *fraction < 1)) {
    return fail(ErrorCode::kInvalidInput,
                "model version '{}': expected a fraction of channels to remove between 0 and 1, "
                "both excluded",
                excerpt(text));
  }
  return Version{*fraction};
}

std::string to_text(const Version& version) {
  return version.full() ? std::string(kFull) : fmt::format("{}{}", kPrune, version.pruned);
}

}  // namespace surety::model
