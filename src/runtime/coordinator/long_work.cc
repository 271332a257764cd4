#include "runtime/coordinator/long_work.h"

#include <chrono>
#include <utility>

#include "base/check.h"
#include "orchestrator/stages/checked_plan.h"

namespace surety::runtime {

using orchestrator::MakePlan;

LongWork::LongWork(std::filesystem::path program, std::filesystem::path folder)
    : program_(std::move(program)), folder_(std::move(folder)) {}

void LongWork::measure() {
  measuring_ = MeasuringProcess::start(program_, folder_, folder_ / "logs" / "measured-again");
}

void LongWork::plan(MakePlan order) {
  SURETY_CHECK(!planning_.valid());
  planning_ = std::async(std::launch::async, [order = std::move(order)] {
    return orchestrator::make_checked_plan(order.instance, order.profile, order.options);
  });
}

std::optional<orchestrator::Event> LongWork::poll() {
  if (measuring_) {
    const std::optional<Result<certificate::MetricValues>> values =
        *measuring_ ? (*measuring_)->poll() : tl::unexpected(measuring_->error());
    if (values) {
      measuring_.reset();
      return orchestrator::MeasuredAgain{*values};
    }
  }
  if (planning_.valid() &&
      planning_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    return orchestrator::PlanMade{planning_.get()};
  }
  return std::nullopt;
}

}  // namespace surety::runtime
