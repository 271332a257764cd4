#include "learn/model_checksum.h"

#include <gtest/gtest.h>

namespace surety::learn {
namespace model_checksum_test {

TEST(ModelChecksum, ItTellsAnAverageFromNoneAndFromAVelocity) {
  Model model{.version = "full", .parameters = {1}, .parent = {}, .velocity = {}};
  const std::uint64_t without = model_checksum(model);
  model.average = {2};
  const std::uint64_t averaged = model_checksum(model);
  model.average = {3};
  EXPECT_NE(averaged, without);
  EXPECT_NE(averaged, model_checksum(model));
  model.average.clear();
  model.velocity = {2};
  EXPECT_NE(averaged, model_checksum(model));
}

TEST(ModelChecksum, ItTellsParametersFromParent) {
  EXPECT_NE(model_checksum({.version = "full", .parameters = {1}, .parent = {}, .velocity = {}}),
            model_checksum({.version = "full", .parameters = {}, .parent = {1}, .velocity = {}}));
  EXPECT_NE(model_checksum({.version = "full", .parameters = {1}, .parent = {}, .velocity = {}}),
            model_checksum({.version = "full", .parameters = {1}, .parent = {}, .velocity = {2}}));
}

}  // namespace model_checksum_test
}  // namespace surety::learn
