#include "plan/library/library_entry.h"

#include <cmath>
#include <limits>
#include <set>

#include "base/checksum.h"
#include "base/json/parse_json.h"
#include "base/text.h"
#include "plan/files/json_fields.h"
#include "plan/files/made_for_json.h"

namespace surety::plan {

// Static, because argument-dependent lookup does not find it in an unnamed namespace.
template <typename Io>
static void fields(Io& io, EarlierLaws& laws) {
  io("mean", laws.mean);
  io("covariance", laws.covariance);
}

template <typename Io>
static void fields(Io& io, CountedAttempt& attempt) {
  io("seed", attempt.seed);
  io("version", attempt.version);
  io("metrics", attempt.metrics);
  io("metric_se", attempt.metric_se);
  io("confirmed", attempt.confirmed);
}

template <typename Io>
static void fields(Io& io, EarlierJobs& earlier) {
  io("jobs", earlier.jobs);
  io("passes", earlier.passes);
  io("first_attempts", earlier.first_attempts);
  io("laws", earlier.laws);
}

namespace {

// The number is raised if a key changes its meaning, or if the priors of the laws change, because
// laws are stored in units of their priors.
constexpr const char* kFormat = "surety profile 2";
constexpr std::string_view kAnyFormat = "surety profile ";
constexpr const char* kFormatKey = "format";
constexpr const char* kChecksumKey = "checksum";
constexpr std::uint32_t kJobsMax = 1'000'000;
constexpr std::size_t kVersionsMax = 64;
constexpr std::size_t kAttemptsMax = 64;
constexpr std::size_t kPassesMax = 100'000;

// All of an entry except made_for, which has its own form.
struct Body {
  LibraryEntry& entry;
};

template <typename Io>
void fields(Io& io, Body& body) {
  io("program", body.entry.program);
  io("job", body.entry.job);
  io("finished", body.entry.finished);
  io("outcome", body.entry.outcome);
  io("workers", body.entry.workers);
  io("versions", body.entry.versions);
  io("lessons", body.entry.earlier_jobs);
}

std::string checksum_text(const Json& json) {
  const std::string text = json.dump();
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
}

Result<void> wrong(std::string_view file, const std::string& what) {
  return fail(ErrorCode::kInvalidInput, "{}: {}", file, what);
}

// What the metrics of this job can be at most: an accuracy is recorded as 1 - accuracy.
double most_of(const MadeFor& made_for) {
  const auto metric = made_for.aspects.find("promise.metric");
  const bool is_accuracy = metric != made_for.aspects.end() && metric->second == "accuracy";
  return is_accuracy ? 1 : std::numeric_limits<double>::max();
}

Result<void> check_attempt(std::string_view file, const std::string& key, const LibraryEntry& entry,
                           const CountedAttempt& attempt) {
  if (std::ranges::find(entry.versions, attempt.version) == entry.versions.end()) {
    return wrong(file, fmt::format("{}.version: found {}, expected one of the versions", key,
                                   excerpt(attempt.version)));
  }
  if (attempt.metrics.empty() || attempt.metrics.size() > kPassesMax) {
    return wrong(file, fmt::format("{}.metrics: found {} values, expected 1 to {}", key,
                                   attempt.metrics.size(), kPassesMax));
  }
  for (const double metric : attempt.metrics) {
    if (!std::isfinite(metric) || metric < 0) {
      return wrong(
          file, fmt::format("{}.metrics: found {}, expected finite numbers from 0", key, metric));
    }
    if (metric > most_of(entry.made_for)) {
      return wrong(file, fmt::format("{}.metrics: found {}, expected at most 1 for an accuracy",
                                     key, metric));
    }
  }
  if (!(attempt.metric_se >= 0) || !std::isfinite(attempt.metric_se)) {
    return wrong(file, fmt::format("{}.metric_se: found {}, expected a finite number from 0", key,
                                   attempt.metric_se));
  }
  return {};
}

// These texts are shown on a terminal.
Result<void> check_text(std::string_view file, const char* key, const std::string& text) {
  if (plain_text(text, kEntryTextMax) == text) return {};
  return wrong(file,
               fmt::format("{}: found {} bytes, perhaps with control characters or characters "
                           "that change the direction of text, expected up to {} bytes of "
                           "text on one line",
                           key, text.size(), kEntryTextMax));
}

// The newest of equally good entries is used, and times are compared as texts.
Result<void> check_time(std::string_view file, const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";  // Each 0 stands for a digit.
  bool fits = text.size() == kForm.size();
  for (std::size_t i = 0; fits && i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    fits = kForm[i] == '0' ? is_digit : text[i] == kForm[i];
  }
  if (fits) return {};
  return wrong(file, fmt::format("finished: found {}, expected a time such as 2026-01-01T00:00:00Z",
                                 excerpt(text)));
}

Result<void> check(std::string_view file, const LibraryEntry& entry) {
  SURETY_TRY(check_text(file, "program", entry.program));
  SURETY_TRY(check_text(file, "job", entry.job));
  SURETY_TRY(check_text(file, "finished", entry.finished));
  SURETY_TRY(check_text(file, "outcome", entry.outcome));
  SURETY_TRY(check_time(file, entry.finished));
  for (const std::string& version : entry.versions) {
    SURETY_TRY(check_text(file, "versions", version));
  }
  const std::set<std::string> versions(entry.versions.begin(), entry.versions.end());
  if (versions.empty() || versions.size() != entry.versions.size() ||
      versions.size() > kVersionsMax) {
    return wrong(file, fmt::format("versions: found {} with {} different names, expected 1 to {} "
                                   "different ones",
                                   entry.versions.size(), versions.size(), kVersionsMax));
  }
  const EarlierJobs& earlier = entry.earlier_jobs;
  if (earlier.jobs == 0 || earlier.jobs > kJobsMax || earlier.passes == 0) {
    return wrong(
        file,
        fmt::format(
            "lessons: found {} jobs with {} passes, expected 1 to {} jobs with at least one pass",
            earlier.jobs, earlier.passes, kJobsMax));
  }
  // Entries of jobs with one worker contain no law about workers.
  const std::size_t without = Belief::parameters(versions.size(), false);
  const std::size_t with = Belief::parameters(versions.size(), true);
  if (earlier.laws.mean.size() != without && earlier.laws.mean.size() != with) {
    return wrong(
        file, fmt::format("lessons.laws.mean: found {} values, expected {} or {} for {} versions",
                          earlier.laws.mean.size(), without, with, versions.size()));
  }
  if (!is_law(earlier.laws)) {
    return wrong(file,
                 "lessons.laws: found no normal distribution, expected a symmetric and positive "
                 "definite covariance");
  }
  if (earlier.first_attempts.size() > kAttemptsMax) {
    return wrong(file, fmt::format("lessons.first_attempts: found {}, expected at most {}",
                                   earlier.first_attempts.size(), kAttemptsMax));
  }
  for (std::size_t i = 0; i < earlier.first_attempts.size(); ++i) {
    SURETY_TRY(check_attempt(file, fmt::format("lessons.first_attempts[{}]", i), entry,
                             earlier.first_attempts[i]));
  }
  return {};
}

}  // namespace

std::string to_json(const LibraryEntry& entry) {
  LibraryEntry copy = entry;
  Body body{copy};
  Json json;
  json[kFormatKey] = kFormat;
  json[kMadeForKey] = json_of(entry.made_for);
  json.update(JsonWriter::write(body));
  json[kChecksumKey] = checksum_text(json);
  return json.dump(1) + "\n";
}

Result<LibraryEntry> library_entry_from_json(std::string_view file, std::string_view text) {
  Result<Json> parsed = parse_json<Json>(text);
  if (!parsed) return fail_in(parsed.error(), "{}", file);
  Json& json = *parsed;
  const auto found = json.is_object() ? json.find(kFormatKey) : json.end();
  if (!json.is_object() || found == json.end() || !found->is_string() ||
      !found->get_ref<const std::string&>().starts_with(kAnyFormat)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found a file of another kind, expected an entry that a run wrote", file);
  }
  if (*found != kFormat) {
    return fail(ErrorCode::kInvalidInput,
                "{}: {}: found {}, expected \"{}\": another version of Surety wrote it", file,
                kFormatKey, excerpt(found->dump()), kFormat);
  }
  const auto sum = json.find(kChecksumKey);
  if (sum == json.end() || !sum->is_string()) {
    return fail(ErrorCode::kInvalidInput, "{}: {}: is missing", file, kChecksumKey);
  }
  const auto claimed = sum->get<std::string>();
  json.erase(kChecksumKey);
  if (const std::string actual = checksum_text(json); claimed != actual) {
    return fail(ErrorCode::kInvalidInput,
                "{}: {}: found {}, expected {}: the file has changed since a run wrote it", file,
                kChecksumKey, excerpt(claimed), actual);
  }
  LibraryEntry entry;
  const auto made_for = json.find(kMadeForKey);
  if (made_for == json.end()) {
    return fail(ErrorCode::kInvalidInput, "{}: {}: is missing", file, kMadeForKey);
  }
  SURETY_TRY(entry.made_for, made_for_of(file, *made_for));
  json.erase(kMadeForKey);
  json.erase(kFormatKey);
  std::string error;
  JsonReader reader(json, "", error);
  Body body{entry};
  fields(reader, body);
  reader.finish();
  if (!error.empty()) return fail(ErrorCode::kInvalidInput, "{}: {}", file, error);
  entry.earlier_jobs.same_data = true;
  SURETY_TRY(check(file, entry));
  return entry;
}

}  // namespace surety::plan
