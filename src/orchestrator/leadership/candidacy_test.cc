#include "orchestrator/leadership/candidacy.h"

#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace candidacy_test {

using Aim = Candidacy::Aim;
using Role = Leadership::Role;
using Step = Candidacy::Step;

constexpr Time at(double seconds) { return Time{from_seconds(seconds)}; }

Step step_of(Aim aim, Role role, bool stopped = false) {
  return Candidacy(aim, at(5)).step(at(1), {.role = role}, stopped);
}

TEST(Candidacy, TheWinnerLeadsEvenIfASignalArrived) {
  for (const Aim aim : {Aim::kBegin, Aim::kStandBy, Aim::kReturn}) {
    EXPECT_EQ(step_of(aim, Role::kLeading, true), Step::kLead);
  }
}

TEST(Candidacy, ASignalEndsTheWaiting) {
  for (const Aim aim : {Aim::kBegin, Aim::kStandBy, Aim::kReturn}) {
    EXPECT_EQ(step_of(aim, Role::kSeeking), Step::kWait);
    EXPECT_EQ(step_of(aim, Role::kSeeking, true), Step::kStop);
  }
}

TEST(Candidacy, AWonElectionThatLapsedIsJoinedAgain) {
  for (const Aim aim : {Aim::kBegin, Aim::kStandBy, Aim::kReturn}) {
    EXPECT_EQ(step_of(aim, Role::kLapsed), Step::kJoinAgain);
  }
}

TEST(Candidacy, ADecisionHasPriorityOverASignal) {
  EXPECT_EQ(step_of(Aim::kStandBy, Role::kOver, true), Step::kOver);
  EXPECT_EQ(step_of(Aim::kReturn, Role::kStandingBy, true), Step::kOtherLeads);
}

TEST(Candidacy, OnlyARunThatBeginsIgnoresAnEarlierEnd) {
  EXPECT_EQ(step_of(Aim::kBegin, Role::kOver), Step::kJoinAgain);
  EXPECT_EQ(step_of(Aim::kStandBy, Role::kOver), Step::kOver);
  EXPECT_EQ(step_of(Aim::kReturn, Role::kOver), Step::kOver);
}

TEST(Candidacy, ARunThatBeginsWaitsForAnotherLeaderUntilTheDeadline) {
  Candidacy begin(Aim::kBegin, at(5));
  EXPECT_EQ(begin.step(at(4.9), {.role = Role::kStandingBy}, false), Step::kWait);
  EXPECT_EQ(begin.step(at(5), {.role = Role::kStandingBy}, false), Step::kOtherLeads);
  EXPECT_EQ(begin.step(at(5), {.role = Role::kSeeking}, false), Step::kNobodyLeads);
  EXPECT_EQ(begin.step(at(5), {.role = Role::kLapsed}, false), Step::kNobodyLeads);
  Candidacy standby(Aim::kStandBy, at(5));
  EXPECT_EQ(standby.step(at(500), {.role = Role::kStandingBy}, false), Step::kWait);
}

TEST(Candidacy, AProcessThatWasStoppedLeavesTheRunToItsNextLeader) {
  EXPECT_EQ(step_of(Aim::kReturn, Role::kStandingBy), Step::kOtherLeads);
}

TEST(Candidacy, AProcessThatWasCutOffStandsBy) {
  Candidacy cut_off(Aim::kReturn, at(5));
  EXPECT_EQ(cut_off.step(at(1), {.trouble = "etcd does not answer"}, false), Step::kWait);
  EXPECT_EQ(cut_off.step(at(9), {.role = Role::kStandingBy}, false), Step::kWait);
}

}  // namespace candidacy_test
}  // namespace surety::orchestrator
