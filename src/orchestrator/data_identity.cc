#include "orchestrator/data_identity.h"

#include <fmt/format.h>

namespace surety::orchestrator {

std::optional<std::string> data_difference(const std::vector<data::SourceInfo>& then,
                                           const std::vector<data::SourceInfo>& now) {
  if (then.size() != now.size()) {
    return fmt::format("found {} data sets, but the run began with {}", now.size(), then.size());
  }
  for (std::size_t i = 0; i < then.size(); ++i) {
    const data::SourceInfo &before = then[i], &after = now[i];
    if (after.samples != before.samples) {
      return fmt::format("data set {} ({}): found {} samples, but the run began with {}",
                         before.name, after.url, after.samples, before.samples);
    }
    const bool known = before.content != 0 && after.content != 0;
    if (known && after.content != before.content) {
      return fmt::format(
          "data set {} ({}): found samples with checksum {:016x}, but the run began with {:016x}",
          before.name, after.url, after.content, before.content);
    }
  }
  return std::nullopt;
}

}  // namespace surety::orchestrator
