#include "sim/check/sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace surety::sim {
namespace {

std::uint64_t given_samples(const proto::Step& order) {
  std::uint64_t given = 0;
  for (const proto::WorkItem& item : order.items()) given += item.count();
  return given;
}

// Values are sums of a few numbers in single precision.
bool differ(double value, double expected) {
  return !(std::abs(value - expected) <= 1e-5 * std::max(1.0, std::abs(expected)));
}

}  // namespace

Sums::Work Sums::work_of(const proto::Step& order) {
  Work work{.iteration = order.iteration(), .items = {}};
  for (const proto::WorkItem& item : order.items()) {
    work.items.insert(work.items.end(), {item.chunk(), item.first(), item.count()});
  }
  return work;
}

void Sums::on_discard(std::uint32_t process) {
  Record& record = records_[process];
  std::optional<Work> dropped;
  if (record.samples > 0 && !record.is_mixed) dropped = std::move(record.work);
  record = {.update = {}, .work = {}, .of_work_most = {}, .dropped = std::move(dropped)};
}

void Sums::on_learned(std::uint32_t process, bool asynchronous, std::uint64_t samples,
                      std::span<const float> update) {
  Record& record = records_[process];
  record.is_mixed |= asynchronous;
  record.samples += samples;
  record.of_work += samples;
  if (record.of_work_most && record.of_work > *record.of_work_most) {
    violated(fmt::format("process {} learned {} samples in iteration {}, which gave it {}", process,
                         record.of_work, record.work->iteration, *record.of_work_most));
  }
  record.update.resize(update.size());
  for (std::size_t i = 0; i < update.size(); ++i) record.update[i] += update[i];
}

void Sums::on_work(std::uint32_t process, const proto::Step& order) {
  Record& record = records_[process];
  Work work = work_of(order);
  // Only averages continue earlier work; other modes begin anew each time.
  if (order.averages() && !order.has_asynchronous() && record.dropped == work) {
    violated(fmt::format("process {} discarded the work that it had learned in iteration {}",
                         process, order.iteration()));
  }
  record.dropped.reset();
  record.is_added = false;
  if (record.work != work) record.of_work = 0;
  record.of_work_most.reset();
  if (order.averages()) record.of_work_most = given_samples(order);
  record.work = std::move(work);
}

void Sums::on_joined(std::uint32_t process, const proto::Step& order,
                     std::span<const float> values) {
  Record& record = records_[process];
  if (order.resum() || record.is_mixed) return;
  record.is_added = true;
  const std::uint64_t given = given_samples(order);
  const bool is_part = order.averages() && given > 0;
  const double share =
      is_part ? static_cast<double>(record.samples) / static_cast<double>(given) : 1;
  for (std::size_t i = 0; i < record.update.size(); ++i) {
    const double expected = share * record.update[i];
    if (i < values.size() && !differ(values[i], expected)) continue;
    return violated(
        fmt::format("process {} adds {} to the sum of iteration {}, and its task has learned {}",
                    process, i < values.size() ? values[i] : 0, order.iteration(), expected));
  }
}

void Sums::on_reported(std::uint32_t process, const proto::StepDone& done) {
  const Record& record = records_[process];
  if (!record.is_added || done.samples() == record.samples) return;
  violated(fmt::format("process {} reports {} samples, and has learned from {}", process,
                       done.samples(), record.samples));
}

}  // namespace surety::sim
