#include "orchestrator/leadership/lease.h"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>

namespace surety::orchestrator {
namespace lease_test {

constexpr Time at(double seconds) { return Time{from_seconds(seconds)}; }
constexpr Duration kTenSeconds = std::chrono::seconds(10);

// Granted for 10 s by a request at 1 s. Clocks may be wrong by a tenth.
Lease granted() {
  Lease lease(std::chrono::seconds(2), 0.1);
  lease.grant(7, kTenSeconds, at(1));
  return lease;
}

TEST(Lease, ItIsOursForItsTimeByTheFastestClock) {
  const Lease lease = granted();
  EXPECT_EQ(lease.id(), 7);
  EXPECT_EQ(lease.until(), at(10));
  EXPECT_EQ(lease.keep_at(), at(3));
  EXPECT_FALSE(lease.has_expired(at(9.9)));
  EXPECT_TRUE(lease.has_expired(at(10)));
}

TEST(Lease, ARenewalNeverBringsItsEndNearer) {
  Lease lease = granted();
  lease.extend(kTenSeconds, at(3));
  EXPECT_EQ(lease.until(), at(12));
  EXPECT_EQ(lease.keep_at(), at(5));
  lease.extend(std::chrono::seconds(1), at(5));
  EXPECT_EQ(lease.until(), at(12));
}

TEST(Lease, ALeaseThatHasEndedIsDroppedOnce) {
  Lease lease = granted();
  lease.end();
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.until(), Time::min());
  EXPECT_FALSE(lease.has_expired(at(100)));
  lease.end();
  EXPECT_EQ(lease.take_ended(), 7);
  EXPECT_EQ(lease.take_ended(), std::nullopt);
}

TEST(Lease, ALeaseThatTheServerForgotIsNotDropped) {
  Lease lease = granted();
  lease.vanish();
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.take_ended(), std::nullopt);
}

TEST(Lease, OnlyOneIsHeld) {
  Lease lease = granted();
  EXPECT_DEATH(lease.grant(8, kTenSeconds, at(2)), "is_held");
  lease.end();
  EXPECT_DEATH(lease.extend(kTenSeconds, at(2)), "is_held");
  lease.grant(8, kTenSeconds, at(2));
  EXPECT_EQ(lease.id(), 8);
  EXPECT_EQ(lease.until(), at(11));
}

}  // namespace lease_test
}  // namespace surety::orchestrator
