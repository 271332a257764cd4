// Values that are not finite never become a part of the model, and they end the exchange.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <vector>

#include "fabric/exchange/exchange.h"

namespace surety::fabric {
namespace exchange_overflow_test {

using ::testing::HasSubstr;

// One worker that owns its model of two values.
Exchange alone(float value) {
  ExchangeOptions options{.scheduler = WorkerId{2}, .elements = 2, .blocks = 1};
  options.workers = {WorkerId{2}};
  options.owners = {{WorkerId{2}, 1}};
  options.nominal = {1e6, 1e6};
  return {options, WorkerId{2}, {value, value}, Time{}};
}

TEST(ExchangeOverflow, AnUpdateThatIsNotFiniteIsRefused) {
  Exchange exchange = alone(0);
  const auto pushed = exchange.push(Time{}, {1, std::numeric_limits<float>::quiet_NaN()});
  ASSERT_FALSE(pushed);
  EXPECT_THAT(pushed.error().message, HasSubstr("not finite"));
}

TEST(ExchangeOverflow, AModelThatOverflowsIsAFailureAlsoWithoutAMessageFromOthers) {
  Exchange exchange = alone(3e38f);
  ASSERT_TRUE(exchange.push(Time{}, {3e38f, 3e38f}));
  exchange.tick(Time(std::chrono::milliseconds(50)), std::nullopt);
  ASSERT_TRUE(exchange.failure());
  EXPECT_THAT(exchange.failure()->message, HasSubstr("not finite"));
}

}  // namespace exchange_overflow_test
}  // namespace surety::fabric
