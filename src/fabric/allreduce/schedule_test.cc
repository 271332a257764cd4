#include "fabric/allreduce/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "test/support/fabric/allreduce/check_schedule.h"

namespace surety::fabric {
namespace schedule_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<WorkerId> workers(std::initializer_list<std::uint32_t> ids) {
  std::vector<WorkerId> made;
  for (const std::uint32_t id : ids) made.push_back(WorkerId{id});
  return made;
}

// `count` ids, in ascending order, with gaps.
std::vector<WorkerId> some_workers(std::size_t count, Random& random) {
  std::vector<WorkerId> made;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < count; ++i) {
    id += static_cast<std::uint32_t>(1 + random.below(5));
    made.push_back(WorkerId{id});
  }
  return made;
}

TEST(Schedule, PartsDifferByAtMostOneElement) {
  const auto schedule = all_reduce(workers({1, 2, 3}), 11);
  EXPECT_EQ(schedule.parts, (std::vector<Slice>{{0, 4}, {4, 4}, {8, 3}}));
}

TEST(Schedule, EachMemberMovesTwiceAllOthersShares) {
  // 4 members, 100 elements: 2 * 3/4 * 100 = 150 elements out and in.
  const auto schedule = all_reduce(workers({1, 2, 3, 4}), 100);
  std::map<WorkerId, std::uint64_t> out;
  std::map<WorkerId, std::uint64_t> in;
  for (const auto& transfer : schedule.transfers) {
    out[transfer.from] += transfer.slice.count;
    in[transfer.to] += transfer.slice.count;
  }
  for (const WorkerId member : schedule.members) {
    EXPECT_EQ(out[member], 150u);
    EXPECT_EQ(in[member], 150u);
  }
}

TEST(Schedule, NoTwoMembersSendToTheSameOneAtOnce) {
  // 5 members: each run of 5 transfers has every member once as sender and once as receiver.
  const auto schedule = all_reduce(workers({1, 2, 3, 4, 5}), 50);
  ASSERT_EQ(schedule.transfers.size(), 40u);
  for (std::size_t group = 0; group < 8; ++group) {
    std::map<WorkerId, int> from;
    std::map<WorkerId, int> to;
    for (std::size_t i = 0; i < 5; ++i) {
      ++from[schedule.transfers[group * 5 + i].from];
      ++to[schedule.transfers[group * 5 + i].to];
    }
    EXPECT_EQ(from.size(), 5u);
    EXPECT_EQ(to.size(), 5u);
  }
}

TEST(Schedule, AloneThereIsNothingToSend) {
  EXPECT_THAT(all_reduce(workers({7}), 10).transfers, IsEmpty());
  EXPECT_THAT(distribute(workers({7}), {}, 10).transfers, IsEmpty());
}

TEST(Schedule, EmptyPartsTravelNowhere) {
  // 2 elements over 4 members: two parts of one element, each to and from 3 others.
  EXPECT_EQ(all_reduce(workers({1, 2, 3, 4}), 2).transfers.size(), 2u * 2 * 3);
  EXPECT_THAT(all_reduce(workers({1, 2, 3, 4}), 0).transfers, IsEmpty());
}

TEST(Schedule, HoldersShareTheWork) {
  const auto schedule = distribute(workers({2, 4}), workers({1, 3}), 10);
  EXPECT_EQ(schedule.members, workers({1, 2, 3, 4}));
  EXPECT_EQ(schedule.parts, (std::vector<Slice>{{0, 0}, {0, 5}, {5, 0}, {5, 5}}));
  EXPECT_EQ(schedule.transfers.size(), 4u);
}

TEST(CheckSchedule, EveryScheduleThatWeMakePasses) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto members = some_workers(1 + random.below(12), random);
    const std::uint64_t elements = random.below(seed % 2 == 0 ? 20 : 5000);
    EXPECT_EQ(check_schedule(all_reduce(members, elements), elements), "") << seed;

    std::vector<WorkerId> holders;
    std::vector<WorkerId> receivers;
    for (const WorkerId member : members) {
      (random.below(2) == 0 || member == members.front() ? holders : receivers).push_back(member);
    }
    EXPECT_EQ(check_distribution(distribute(holders, receivers, elements), holders, elements), "")
        << seed;
  }
}

// Breaks a good schedule of 4 members and 40 elements and returns what the check finds. Transfers 0
// to 11 of the schedule are contributions, 12 to 23 are results.
template <typename Break>
std::string found_after(Break break_it) {
  Schedule schedule = all_reduce(workers({1, 2, 3, 4}), 40);
  break_it(schedule);
  for (std::uint32_t i = 0; i < schedule.transfers.size(); ++i) schedule.transfers[i].step = i;
  return check_schedule(schedule, 40);
}

TEST(CheckSchedule, AMissingContributionIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) { s.transfers.erase(s.transfers.begin() + 5); }),
              HasSubstr("is counted 0 times"));
}

TEST(CheckSchedule, AContributionThatComesTwiceIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) {
                s.transfers.insert(s.transfers.begin(), s.transfers.front());
              }),
              HasSubstr("is counted 2 times"));
}

TEST(CheckSchedule, AMissingResultIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) { s.transfers.pop_back(); }),
              HasSubstr("never receives"));
}

TEST(CheckSchedule, AResultThatComesTwiceIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) { s.transfers.push_back(s.transfers.back()); }),
              HasSubstr("already"));
}

TEST(CheckSchedule, AResultSentBeforeItIsCompleteIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) { std::swap(s.transfers[9], s.transfers[12]); }),
              HasSubstr("is counted 0 times"));
}

TEST(CheckSchedule, AResultOfOneWhoDoesNotOwnItIsFound) {
  EXPECT_THAT(found_after([](Schedule& s) { s.transfers.back().from = s.transfers.back().to; }),
              HasSubstr("sends to itself"));
  EXPECT_THAT(found_after([](Schedule& s) {
                s.transfers[12].slice = {20, 10};
              }),
              HasSubstr("does not own"));
}

TEST(CheckSchedule, PartOfASliceIsNotEnough) {
  EXPECT_THAT(found_after([](Schedule& s) { --s.transfers[3].slice.count; }),
              HasSubstr("is counted 0 times"));
  EXPECT_THAT(found_after([](Schedule& s) { --s.transfers[20].slice.count; }),
              HasSubstr("never receives"));
}

TEST(CheckSchedule, PartsThatDoNotCoverTheVectorAreFound) {
  EXPECT_THAT(found_after([](Schedule& s) { --s.parts.back().count; }), HasSubstr("39 of 40"));
  EXPECT_THAT(found_after([](Schedule& s) { ++s.parts[1].first; }), HasSubstr("expected at 10"));
}

TEST(CheckSchedule, StrangersAndRangesOutsideAreFound) {
  EXPECT_THAT(found_after([](Schedule& s) { s.transfers[0].to = WorkerId{9}; }),
              HasSubstr("9 is not a member"));
  EXPECT_THAT(found_after([](Schedule& s) {
                s.transfers[0].slice = {30, ~0ull};
              }),
              HasSubstr("not within 40"));
  EXPECT_THAT(found_after([](Schedule& s) { s.members[1] = s.members[0]; }),
              HasSubstr("does not come before"));
}

TEST(CheckSchedule, ADistributionWithAHoleIsFound) {
  const auto holders = workers({1, 2});
  const Schedule good = distribute(holders, workers({3, 4}), 10);
  ASSERT_EQ(check_distribution(good, holders, 10), "");
  Schedule schedule = good;
  schedule.transfers.pop_back();
  EXPECT_THAT(check_distribution(schedule, holders, 10), HasSubstr("never receives"));
  schedule = good;
  schedule.transfers[0].to = WorkerId{2};
  EXPECT_THAT(check_distribution(schedule, holders, 10), HasSubstr("which it has"));
}

TEST(Schedule, PartsAreAsTheSharesSayAndEveryInputIsAddedOnce) {
  const std::vector<WorkerId> members{WorkerId{1}, WorkerId{4}, WorkerId{6}, WorkerId{9}};
  const Schedule schedule = all_reduce(members, 1000, {0.5, 0, 0.3, 0.2});
  EXPECT_EQ(schedule.parts, (std::vector<Slice>{{0, 500}, {500, 0}, {500, 300}, {800, 200}}));
  EXPECT_EQ(check_schedule(schedule, 1000), "");
  for (std::uint64_t elements = 1; elements < 20; ++elements) {
    EXPECT_EQ(check_schedule(all_reduce(members, elements, {0.1, 0.3, 0.35, 0.25}), elements), "");
  }
}

TEST(Schedule, SharesThatAreNoneAreRefused) {
  EXPECT_TRUE(check_shares({}, 3));
  EXPECT_TRUE(check_shares({0.5, 0, 0.5}, 3));
  EXPECT_FALSE(check_shares({0.5, 0.5}, 3));
  EXPECT_FALSE(check_shares({0.5, 0.25, 0.5}, 3));
  EXPECT_FALSE(check_shares({1.5, -0.5, 0}, 3));
  EXPECT_FALSE(check_shares({std::nan(""), 0.5, 0.5}, 3));
}

}  // namespace schedule_test
}  // namespace surety::fabric
