#include "runtime/coordinator/catch_up.h"

#include <gtest/gtest.h>

namespace surety::runtime {
namespace catch_up_test {

Time at(double seconds) { return Time(from_seconds(seconds)); }

TEST(CatchUp, OnlyAfterAStopDoReadersGetTime) {
  CatchUp readers;
  EXPECT_EQ(readers.pause(at(100)), Duration::zero());
  EXPECT_EQ(readers.pause(at(100.9)), Duration::zero());
  EXPECT_EQ(readers.pause(at(102)), CatchUp::kReading);
  EXPECT_EQ(readers.pause(at(102.4)), Duration::zero());
}

}  // namespace catch_up_test
}  // namespace surety::runtime
