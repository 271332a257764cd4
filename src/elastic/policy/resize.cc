#include "elastic/policy/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/words.h"

namespace surety::elastic {
namespace {

// A limit above the number of batches in any pass, because dividing more batches would take long.
constexpr std::uint64_t kBatchesMax = 10'000'000;

std::uint32_t batches_of(std::uint32_t workers, std::uint32_t local_steps) {
  const std::uint64_t all = std::uint64_t{workers} * local_steps;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(workers, std::min(all, kBatchesMax)));
}

std::string each_takes(double batches) {
  return fmt::format("each takes {:.3g} local step{}", batches, batches == 1 ? "" : "s");
}

}  // namespace

Resize::Resize(OnResize rule, std::uint32_t local_steps) : rule_(rule), local_steps_(local_steps) {
  SURETY_CHECK(local_steps >= 1);
}

void Resize::set_reference_workers(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  if (workers == reference_workers_) return;
  reference_workers_ = workers;
  if (workers_) change_to(*workers_);
}

IterationSize Resize::iteration(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  if (!reference_workers_) reference_workers_ = workers;
  if (workers != workers_) change_to(workers);
  return {.batches = batches_, .rate = rate_now()};
}

void Resize::change_to(std::uint32_t workers) {
  const double before = workers_ ? rate_now() : 1;
  workers_ = workers;
  const std::uint32_t reference = reference_workers_.value();
  const std::uint32_t meant = batches_of(reference, local_steps_);
  batches_ =
      rule_ == OnResize::kKeepBatch ? std::max(meant, workers) : batches_of(workers, local_steps_);
  to_ = rule_ == OnResize::kNone ? 1 : static_cast<double>(batches_) / meant;
  from_ = std::min(before, to_);
  since_ = 0;
  const double each = static_cast<double>(batches_) / workers;
  const std::string who = fmt::format("{}, and local_steps is set for {}: {}",
                                      counted(workers, "worker"), reference, each_takes(each));
  if (workers == reference) {
    if (!reason_.empty()) {
      reason_ =
          fmt::format("{} workers, for which local_steps is set: {}", workers, each_takes(each));
    }
  } else if (rule_ == OnResize::kNone) {
    reason_ = fmt::format(
        "{} at the same learning rate, although an average covers {:.3g} times "
        "the samples",
        who, static_cast<double>(batches_) / meant);
  } else if (to_ == 1) {
    reason_ = fmt::format("{}, so that an average covers the same number of samples", who);
  } else {
    reason_ = fmt::format(
        "{}; an average covers {:.3g} times the samples, so the learning rate is {:.3g} times as "
        "high{}",
        who, to_, to_, to_ > from_ ? fmt::format(" after {} iterations", kWarmUp) : "");
  }
}

double Resize::rate_now() const {
  const double warm = std::min(1.0, (since_ + 1.0) / kWarmUp);
  return from_ + (to_ - from_) * warm;
}

}  // namespace surety::elastic
