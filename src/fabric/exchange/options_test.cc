#include "fabric/exchange/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace surety::fabric {
namespace options_test {

using ::testing::HasSubstr;

// Two workers, the first of which owns the model.
ExchangeOptions options_of(std::uint64_t elements, std::uint32_t blocks,
                           QuorumOptions quorum = {}) {
  return {.workers = {WorkerId{2}, WorkerId{5}},
          .scheduler = WorkerId{2},
          .owners = {{WorkerId{2}, 1.0}},
          .elements = elements,
          .blocks = blocks,
          .quorum = quorum,
          .nominal = {1e6, 1e6}};
}

TEST(ExchangeOptions, WorkersThatWaitForABatchDoNotAlsoWaitForTheSlowest) {
  EXPECT_TRUE(check(options_of(8, 1, {.batch = 2})));
  EXPECT_TRUE(check(options_of(8, 1, {.ahead = 1})));
  const auto both = check(options_of(8, 1, {.batch = 2, .ahead = 1}));
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().message, HasSubstr("not for both"));
}

TEST(ExchangeOptions, WorkersAreInAscendingOrderAndThereIsAtLeastOne) {
  const auto refusal = [](const std::vector<WorkerId>& workers) {
    ExchangeOptions options = options_of(8, 1);
    options.workers = workers;
    const Result<void> checked = check(options);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(refusal({WorkerId{2}}), "");
  EXPECT_EQ(refusal({WorkerId{2}, WorkerId{5}}), "");
  EXPECT_EQ(refusal({}), "exchange: found no workers, expected at least one");
  const std::string unsorted = "exchange: found workers that are not in ascending order";
  EXPECT_EQ(refusal({WorkerId{5}, WorkerId{2}}), unsorted);
  EXPECT_EQ(refusal({WorkerId{2}, WorkerId{2}}), unsorted);
}

TEST(ExchangeOptions, EachBlockHasAValue) {
  for (const std::uint32_t blocks : {1u, 8u}) EXPECT_TRUE(check(options_of(8, blocks)));
  for (const std::uint32_t blocks : {0u, 9u}) {
    const Result<void> checked = check(options_of(8, blocks));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message,
              fmt::format("exchange: found {} blocks, expected 1 to 8", blocks));
  }
  EXPECT_EQ(check(options_of(1000, 65)).error().message,
            "exchange: found 65 blocks, expected 1 to 64");
}

}  // namespace options_test
}  // namespace surety::fabric
