#include "fabric/allreduce/reduce.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace surety::fabric {
namespace reduce_test {

TEST(Reduce, AddsEachValueTimesTheWeight) {
  std::vector<float> sum{1, 2, 3};
  add_scaled(sum, std::vector<float>{10, 20, 30}, 0.5f);
  EXPECT_EQ(sum, (std::vector<float>{6, 12, 18}));
}

TEST(Reduce, OneValueThatIsNotFiniteIsFoundAnywhere) {
  using limits = std::numeric_limits<float>;
  for (const float bad : {limits::quiet_NaN(), -limits::quiet_NaN(), limits::signaling_NaN(),
                          limits::infinity(), -limits::infinity()}) {
    for (std::size_t at = 0; at < 33; ++at) {
      std::vector<float> values(33, 1.0f);
      values[at] = bad;
      EXPECT_FALSE(all_finite(values)) << at;
    }
  }
}

TEST(Reduce, ExtremeButFiniteValuesPass) {
  using limits = std::numeric_limits<float>;
  EXPECT_TRUE(all_finite(std::vector<float>{0.0f, -0.0f, limits::max(), limits::lowest(),
                                            limits::min(), limits::denorm_min()}));
  EXPECT_TRUE(all_finite({}));
}

}  // namespace reduce_test
}  // namespace surety::fabric
