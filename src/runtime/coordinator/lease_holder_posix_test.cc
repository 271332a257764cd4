// Elections with a real etcd.
#include "runtime/coordinator/lease_holder.h"

#include <gtest/gtest.h>

#include "base/posix/wait_testing.h"
#include "runtime/etcd/client.h"
#include "runtime/etcd/etcd_testing.h"

namespace surety::runtime {
namespace lease_holder_posix_test {

using Role = LeaseHolder::Role;

// The short lease is for tests that wait for its end. The long lease must not end even if etcd is
// slow.
constexpr auto kShortLease = std::chrono::seconds(10);
constexpr auto kLongLease = std::chrono::seconds(60);

class Seats : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(etcd_.is_up()) << etcd_.log(); }

  std::unique_ptr<LeaseHolder> make_lease_holder(std::uint32_t pid, Duration lease) const {
    return std::make_unique<LeaseHolder>(LeaseHolderOptions{.etcd = {{etcd_.address()}},
                                                            .run = "run 1",
                                                            .self = {.host = "here", .pid = pid},
                                                            .lease = lease,
                                                            .end_patience = posix::kTestPatience});
  }

  static ::testing::AssertionResult becomes(LeaseHolder& lease_holder, Role role) {
    return posix::wait_until(fmt::format("role {}", static_cast<int>(role)),
                             [&] { return lease_holder.view().role == role; });
  }

  // The error may disappear between two calls of view(), so one call reads everything.
  static ::testing::AssertionResult has_trouble(LeaseHolder& lease_holder,
                                                const std::string& text) {
    return posix::wait_until("trouble: " + text, [&] {
      const auto trouble = lease_holder.view().trouble;
      return trouble && trouble->find(text) != std::string::npos;
    });
  }

  // One coordinator leads, another stands by.
  void sit_two(Duration lease) {
    first_ = make_lease_holder(1, lease);
    ASSERT_TRUE(becomes(*first_, Role::kLeading));
    second_ = make_lease_holder(2, lease);
    ASSERT_TRUE(becomes(*second_, Role::kStandingBy));
  }

  EtcdForTest etcd_;
  std::unique_ptr<LeaseHolder> first_;
  std::unique_ptr<LeaseHolder> second_;
};

TEST_F(Seats, TheSecondStandsByAndFollowsTheFirst) {
  sit_two(kLongLease);
  EXPECT_TRUE(first_->leads());
  EXPECT_FALSE(second_->leads());
  EXPECT_EQ(second_->view().leader->pid, 1u);
  first_.reset();
  EXPECT_TRUE(becomes(*second_, Role::kLeading));
}

TEST_F(Seats, HowTheRunEndedIsToldToStandbysAndForgottenOnRequest) {
  sit_two(kLongLease);
  EXPECT_TRUE(first_->end({.exit_code = 3, .reason = "late"}).value());
  ASSERT_TRUE(becomes(*second_, Role::kOver));
  EXPECT_EQ(second_->view().end->exit_code, 3);
  EXPECT_EQ(second_->view().end->reason, "late");
  EXPECT_FALSE(second_->end({}).value());
  ASSERT_TRUE(second_->forget_end());
  first_.reset();
  auto third = make_lease_holder(3, kLongLease);
  EXPECT_TRUE(becomes(*third, Role::kLeading));
}

TEST_F(Seats, WithoutEtcdTheLeaderStopsAndNobodyFollowsUntilItIsBack) {
  sit_two(kShortLease);
  etcd_.kill();
  ASSERT_TRUE(becomes(*first_, Role::kLapsed));
  EXPECT_FALSE(first_->leads());
  ASSERT_TRUE(becomes(*second_, Role::kSeeking));
  EXPECT_FALSE(second_->leads());
  EXPECT_TRUE(has_trouble(*second_, "etcd does not answer"));
  etcd_.start();
  EXPECT_TRUE(becomes(*second_, Role::kLeading));
  EXPECT_FALSE(first_->leads());
}

TEST_F(Seats, AnEtcdThatHangsIsNoEtcd) {
  auto leader = make_lease_holder(1, kShortLease);
  ASSERT_TRUE(becomes(*leader, Role::kLeading));
  etcd_.stop();
  EXPECT_TRUE(becomes(*leader, Role::kLapsed));
  etcd_.resume();
}

TEST_F(Seats, WhatSomebodyElsePutUnderTheKeyIsNoLeader) {
  EtcdClient client({{etcd_.address()}});
  ASSERT_TRUE(client.put_if_none({.key = "/surety/run_1/leader", .value = "no json"}, {},
                                 posix::kTestPatience));
  auto lease_holder = make_lease_holder(1, kShortLease);
  EXPECT_TRUE(has_trouble(*lease_holder, "/surety/run_1/leader"));
}

}  // namespace lease_holder_posix_test
}  // namespace surety::runtime
