#include "sim/cluster/progress_watch.h"

#include <fmt/format.h>

namespace surety::sim {

void ProgressWatch::require() {
  queue_.after(period_s_, [this, before = watch_.iterations()] {
    if (watch_.iterations() > before) return require();
    watch_.obstacle(
        fmt::format("no iteration for {:.3g} s ({}): {}", period_s_, phase_(), watch_.waits_for()));
  });
}

}  // namespace surety::sim
