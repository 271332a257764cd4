#include "cli/commands/check_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "cli/run/data_warnings.h"
#include "data/posix/open.h"
#include "data/url.h"
#include "orchestrator/history/data_identity.h"
#include "runtime/job/job_setup.h"
#include "runtime/version.h"

namespace surety::cli {
namespace {

using Warnings = std::vector<std::string>;

// If the address of a source cannot be parsed, it counts as present: reading it then reports the
// error.
bool is_here(const data::SourceInfo& source) {
  const auto url = data::parse_url(source.url);
  return !url || !data::is_missing(*url);
}

// Returns the data of today in `now`, without those that are missing.
Check check_samples(const orchestrator::RunState& state, std::vector<data::SourceInfo>& now) {
  Check check{"the data are those that the run began with", std::nullopt, ""};
  std::vector<data::SourceInfo> then;
  for (const data::SourceInfo& source : state.beginning.sources) {
    if (!is_here(source)) {
      check.found += fmt::format("{} is missing and was not compared; ", data::place_of(source));
      continue;
    }
    auto read = runtime::inspect_data(source.name, source.url);
    if (!read) {
      constexpr std::size_t kBytesMax = 1000;
      return check.passed = false, check.found = plain_text(read.error().message, kBytesMax), check;
    }
    then.push_back(source);
    now.push_back(*std::move(read));
  }
  const std::optional<orchestrator::DataDifference> difference =
      orchestrator::data_difference(then, now);
  if (difference) {
    check.passed = false;
    check.found =
        fmt::format("{}: found {}", data::place_of(now[difference->index]), difference->found);
  } else if (check.found.empty()) {
    check.passed = true;
    check.found = "number and checksum of the samples agree";
  } else {
    check.found += then.empty() ? "no data set is available" : "all other data sets agree";
  }
  return check;
}

// The first of `some` that `others` lacks.
const std::string* first_absent(const Warnings& some, const Warnings& others) {
  const auto found = std::ranges::find_if(some, [&](const std::string& warning) {
    return std::ranges::find(others, warning) == others.end();
  });
  return found == some.end() ? nullptr : &*found;
}

// A journal without a signature may have lost a warning. REQUIRES: the warnings differ.
std::string difference_of(const Warnings& found, const Warnings& expected) {
  if (const std::string* lost = first_absent(expected, found)) {
    return "the journal lacks a warning that follows from the data: " + *lost;
  }
  if (const std::string* added = first_absent(found, expected)) {
    return "the journal has a warning that does not follow from the data: " + *added;
  }
  return "the warnings of the journal have another order";
}

// REQUIRES: `sources` are all data sets of the run, with the samples that it began with.
Check check_warnings(const ReadRun& run, std::vector<data::SourceInfo> sources) {
  Check check{"the warnings follow from the data", std::nullopt, ""};
  orchestrator::JobConfig config;
  config.job = run.job;
  if (sources.size() > run.job.data.size()) {  // The validation data come last.
    config.validation = std::move(sources.back());
    sources.pop_back();
  }
  config.sources = std::move(sources);
  const Warnings expected = data_warnings(config);
  const certificate::RunRecord& record = run.state.record;
  if (record.warnings == expected) {
    check.passed = true;
    check.found = counted(expected.size(), "warning");
    return check;
  }
  check.found = difference_of(record.warnings, expected);
  // Other versions warn about other things, or in other words.
  const auto version = record.versions.find("surety");
  if (version != record.versions.end() && version->second == runtime::kVersion) {
    check.passed = false;
  } else {
    check.found += " (another version of Surety wrote the journal)";
  }
  return check;
}

}  // namespace

void check_data(const ReadRun& run, std::vector<Check>& checks) {
  std::vector<data::SourceInfo> now;
  checks.push_back(check_samples(run.state, now));
  checks.push_back(checks.back().passed == true
                       ? check_warnings(run, std::move(now))
                       : Check{"the warnings follow from the data", std::nullopt,
                               "not compared, because this needs all data of the run"});
}

}  // namespace surety::cli
