// Elections over a real etcd.
#include "runtime/leader_seat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "runtime/etcd/client.h"
#include "runtime/etcd/etcd_testing.h"

namespace surety::runtime {
namespace {

using Role = LeaderSeat::Role;

constexpr auto kPatience = std::chrono::seconds(60);  // Only a test that fails waits this long.
constexpr auto kLook = std::chrono::milliseconds(50);

class Seats : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(etcd_.is_up()); }

  std::unique_ptr<LeaderSeat> sit(std::uint32_t pid) const {
    return std::make_unique<LeaderSeat>(SeatOptions{.etcd = {etcd_.address()},
                                                    .run = "run 1",
                                                    .self = {.host = "here", .pid = pid},
                                                    .lease = std::chrono::seconds(2)});
  }

  static bool becomes(LeaderSeat& seat, Role role) {
    for (int i = 0; i < kPatience / kLook; ++i) {
      if (seat.view().role == role) return true;
      std::this_thread::sleep_for(kLook);
    }
    return false;
  }

  // One leads, another stands by.
  void sit_two() {
    first_ = sit(1);
    ASSERT_TRUE(becomes(*first_, Role::kLeading));
    second_ = sit(2);
    ASSERT_TRUE(becomes(*second_, Role::kStandingBy));
  }

  EtcdForTest etcd_;
  std::unique_ptr<LeaderSeat> first_, second_;
};

TEST_F(Seats, TheSecondStandsByAndFollowsTheFirst) {
  sit_two();
  EXPECT_TRUE(first_->leads());
  EXPECT_FALSE(second_->leads());
  EXPECT_EQ(second_->view().leader->pid, 1u);
  first_.reset();
  EXPECT_TRUE(becomes(*second_, Role::kLeading));
}

TEST_F(Seats, HowTheRunEndedIsToldToStandbysAndForgottenOnRequest) {
  sit_two();
  EXPECT_TRUE(first_->end({.exit_code = 3, .reason = "late"}).value());
  ASSERT_TRUE(becomes(*second_, Role::kOver));
  EXPECT_EQ(second_->view().end->exit_code, 3);
  EXPECT_EQ(second_->view().end->reason, "late");
  EXPECT_FALSE(second_->end({}).value());
  ASSERT_TRUE(second_->forget_end());
  first_.reset();
  auto third = sit(3);
  EXPECT_TRUE(becomes(*third, Role::kLeading));
}

TEST_F(Seats, WithoutEtcdTheLeaderStopsAndNobodyFollowsUntilItIsBack) {
  sit_two();
  etcd_.kill();
  ASSERT_TRUE(becomes(*first_, Role::kLapsed));
  EXPECT_FALSE(first_->leads());
  ASSERT_TRUE(becomes(*second_, Role::kSeeking));
  EXPECT_FALSE(second_->leads());
  EXPECT_TRUE(second_->view().trouble);
  etcd_.start();
  EXPECT_TRUE(becomes(*second_, Role::kLeading));
  EXPECT_FALSE(first_->leads());
}

TEST_F(Seats, AnEtcdThatHangsIsNoEtcd) {
  auto leader = sit(1);
  ASSERT_TRUE(becomes(*leader, Role::kLeading));
  etcd_.stop();
  EXPECT_TRUE(becomes(*leader, Role::kLapsed));
  etcd_.go_on();
}

TEST_F(Seats, WhatSomebodyElsePutUnderTheKeyIsNoLeader) {
  EtcdClient client({etcd_.address()});
  ASSERT_TRUE(client.put_if_none({.key = "/surety/run_1/leader", .value = "no json"}, {},
                                 std::chrono::seconds(30)));
  auto seat = sit(1);
  for (int i = 0; i < kPatience / kLook && !seat->view().trouble; ++i) (void)seat->wait(kLook);
  ASSERT_TRUE(seat->view().trouble);
  EXPECT_THAT(*seat->view().trouble, ::testing::HasSubstr("/surety/run_1/leader"));
}

}  // namespace
}  // namespace surety::runtime
