// The time, the money and the passes by variant that a simulated run has spent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/types.h"

namespace surety::plan {

class Spending {
 public:
  struct OfVariant {
    std::uint32_t passes = 0;
    double cost = 0;  // The price of the data is not included.
  };

  // The data are paid before the run begins. `setting` must outlive the object.
  explicit Spending(const Setting& setting)
      : setting_(&setting), cost_(setting.data_price), by_variant_(setting.variants.size()) {}

  // The run begins with this amount already spent, which belongs to no variant.
  void resume(double seconds, double cost) {
    seconds_ = seconds;
    cost_ = cost;
  }
  // Spends this time on the nodes of a variant.
  void spend(double seconds, std::size_t variant) {
    seconds_ += seconds;
    const double cost = seconds * setting_->variants[variant].price_per_s;
    cost_ += cost;
    by_variant_[variant].cost += cost;
  }
  // Spends the time of a pass of this duration, and counts the pass in any case. If the deadline
  // comes before its end, only the time until then is spent. Returns whether the pass came to its
  // end.
  bool spend_pass(double seconds, std::size_t variant) {
    by_variant_[variant].passes += 1;
    const double left = std::max(setting_->deadline_s - seconds_, 0.0);
    spend(seconds > left ? left : seconds, variant);
    return !(seconds > left);
  }

  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] std::span<const OfVariant> by_variant() const { return by_variant_; }
  // The value is below 0 if the deadline has passed.
  [[nodiscard]] double seconds_left() const { return setting_->deadline_s - seconds_; }
  // Absent if there is no budget.
  [[nodiscard]] std::optional<double> money_left() const {
    return setting_->budget ? std::optional(*setting_->budget - cost_) : std::nullopt;
  }

 private:
  const Setting* setting_;
  double seconds_ = 0;
  double cost_ = 0;
  std::vector<OfVariant> by_variant_;
};

}  // namespace surety::plan
