#include "orchestrator/history/data_identity.h"

#include <fmt/format.h>

#include "base/check.h"

namespace surety::orchestrator {

std::optional<DataDifference> data_difference(const std::vector<data::SourceInfo>& then,
                                              const std::vector<data::SourceInfo>& now) {
  SURETY_CHECK(then.size() == now.size());
  for (std::size_t i = 0; i < then.size(); ++i) {
    const data::SourceInfo& before = then[i];
    const data::SourceInfo& after = now[i];
    if (after.samples != before.samples) {
      return DataDifference{i,
                            fmt::format("{} samples, expected {}", after.samples, before.samples)};
    }
    const bool known = before.content && after.content;
    if (known && after.content != before.content) {
      return DataDifference{i, fmt::format("other values in its {} samples", after.samples)};
    }
  }
  return std::nullopt;
}

Result<void> check_same_data(const std::vector<data::SourceInfo>& then,
                             const std::vector<data::SourceInfo>& now) {
  const std::optional<DataDifference> difference = data_difference(then, now);
  if (!difference) return {};
  return data::not_as_it_was(now[difference->index], difference->found);
}

}  // namespace surety::orchestrator
