// The families of versions with which a fresh attempt may begin. A family is the versions with one
// learning rate (plan/choice/pool_spec.h).
#pragma once

#include <cstdint>
#include <set>

#include "base/check.h"

namespace surety::plan {

class Families {
 public:
  // REQUIRES: count > 0.
  explicit Families(std::uint32_t count) : count_(count) { SURETY_CHECK(count > 0); }

  // From now on no fresh attempt begins with this family.
  // REQUIRES: family is below the count, and another family is left.
  void exclude(std::uint32_t family) {
    SURETY_CHECK(family < count_);
    excluded_.insert(family);
    SURETY_CHECK(left() > 0);
  }
  [[nodiscard]] std::uint32_t left() const {
    return count_ - static_cast<std::uint32_t>(excluded_.size());
  }
  // `is_first`: whether this would be the first attempt, which is always of the first family.
  [[nodiscard]] bool may_begin(std::uint32_t family, bool is_first) const {
    return is_first ? family == 0 : !excluded_.contains(family);
  }

 private:
  std::uint32_t count_ = 1;
  std::set<std::uint32_t> excluded_;
};

}  // namespace surety::plan
