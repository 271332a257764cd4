#include "plan/library/profile_library.h"

#include <algorithm>
#include <tuple>

namespace surety::plan {
namespace {

// "data.NAME.content" -> "content"; none if the aspect is not of a data set. Sets may be renamed.
std::optional<std::string> of_data(const std::string& aspect) {
  const std::size_t last = aspect.rfind('.');
  if (aspect.starts_with("data.")) return aspect.substr(last + 1);
  if (aspect.starts_with("validation.")) return "validation " + aspect.substr(last + 1);
  return std::nullopt;
}

bool is_form(const std::string& field) {
  return field.ends_with("features") || field.ends_with("classes");
}
bool is_content(const std::string& field) {
  return field.ends_with("samples") || field.ends_with("content");
}

// Whether the aspect describes how a model learns, apart from its data.
bool is_kind(const std::string& aspect) {
  if (aspect == "promise.metric") return true;
  return (aspect.starts_with("model.") || aspect.starts_with("train.")) &&
         aspect != "train.passes_max";
}

using Values = std::vector<std::pair<std::string, std::string>>;

template <typename Chooses>
Values values_of(const MadeFor& made_for, Chooses chooses) {
  Values values;
  for (const auto& [aspect, value] : made_for.aspects) {
    if (const std::optional<std::string> name = chooses(aspect)) values.emplace_back(*name, value);
  }
  std::ranges::sort(values);
  return values;
}

Values kind_of(const MadeFor& made_for) {
  return values_of(made_for, [](const std::string& aspect) -> std::optional<std::string> {
    if (is_kind(aspect)) return aspect;
    const std::optional<std::string> field = of_data(aspect);
    return field && is_form(*field) ? field : std::nullopt;
  });
}

Values data_of(const MadeFor& made_for) {
  return values_of(made_for, [](const std::string& aspect) -> std::optional<std::string> {
    const std::optional<std::string> field = of_data(aspect);
    return field && is_content(*field) ? field : std::nullopt;
  });
}

bool knows_less(const LibraryEntry& a, const LibraryEntry& b) {
  return std::tie(a.earlier_jobs.jobs, a.finished) < std::tie(b.earlier_jobs.jobs, b.finished);
}

}  // namespace

Relation relation_of(const LibraryJob& entry, const LibraryJob& job) {
  if (entry.workers != job.workers || entry.versions != job.versions ||
      kind_of(entry.made_for) != kind_of(job.made_for)) {
    return Relation::kNone;
  }
  return data_of(entry.made_for) == data_of(job.made_for) ? Relation::kSameData
                                                          : Relation::kSameKind;
}

LibraryJob job_of(const LibraryEntry& entry) {
  return {entry.made_for, entry.workers, entry.versions};
}

std::optional<EarlierJobs> known_of(std::span<const LibraryEntry> entries, const LibraryJob& job) {
  const LibraryEntry* best = nullptr;
  Relation nearest = Relation::kNone;
  for (const LibraryEntry& entry : entries) {
    const Relation found = relation_of(job_of(entry), job);
    if (found == Relation::kNone || found < nearest) continue;
    if (found == nearest && !knows_less(*best, entry)) continue;
    best = &entry;
    nearest = found;
  }
  if (!best) return std::nullopt;
  EarlierJobs known = best->earlier_jobs;
  known.same_data = nearest == Relation::kSameData;
  if (!known.same_data) known.first_attempts.clear();
  return known;
}

std::vector<std::size_t> superseded(std::span<const LibraryEntry> entries, const LibraryJob& job,
                                    std::size_t kept) {
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (relation_of(job_of(entries[i]), job) == Relation::kSameData) alike.push_back(i);
  }
  std::vector<std::size_t> out;
  for (const std::size_t i : alike) {
    const auto better = std::ranges::count_if(
        alike, [&](std::size_t other) { return knows_less(entries[i], entries[other]); });
    if (static_cast<std::size_t>(better) >= kept) out.push_back(i);
  }
  return out;
}

}  // namespace surety::plan
