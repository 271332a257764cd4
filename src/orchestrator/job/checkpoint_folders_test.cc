#include "orchestrator/job/checkpoint_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::orchestrator {
namespace checkpoint_folders_test {

TEST(CheckpointFolders, EachSaveOfANameHasItsOwnFolder) {
  CheckpointFolders first("run", 1);
  EXPECT_EQ(first.next("pass-0007"), "run/pass-0007");
  EXPECT_EQ(first.next("pass-0007"), "run/pass-0007-again-1");
  EXPECT_EQ(CheckpointFolders("run", 3).next("pass-0007"), "run/coordinator-3/pass-0007");
}

TEST(CheckpointFolders, ItKnowsItsOwnNames) {
  for (const std::uint32_t term : {1u, 2u, 12u}) {
    CheckpointFolders folders("run", term);
    for (const char* name : {"pass-0007", "attempt-2-pass-0003"}) {
      for (int i = 0; i < 3; ++i) {
        const std::string folder = folders.next(name).substr(4);
        EXPECT_TRUE(CheckpointFolders::may_name(folder)) << folder;
      }
    }
  }
}

TEST(CheckpointFolders, OtherNamesAreNotItsOwn) {
  for (const char* name :
       {"mymodel", "pass-0001/sub", "pass-", "coordinator-2", "deep/pass-0001", "attempt-pass-0001",
        "pass-0001-old", "coordinator-2/coordinator-3/pass-1"}) {
    EXPECT_FALSE(CheckpointFolders::may_name(name)) << name;
  }
}

TEST(CheckpointFolders, FoldersOfItsNamesThatNoRecordNamesAreLeftOver) {
  const std::vector<std::string> found{"pass-0001",
                                       "pass-0002",
                                       "coordinator-2",
                                       "coordinator-2/pass-0002",
                                       "coordinator-2/pass-0003",
                                       "mymodel",
                                       "pass-00"};
  const auto left = CheckpointFolders::left_over(found, {"pass-0002", "coordinator-2/pass-0003"});
  EXPECT_THAT(left, testing::ElementsAre("pass-0001", "coordinator-2/pass-0002", "pass-00"));
}

TEST(CheckpointFolders, AFolderAroundAKeptOneIsKept) {
  EXPECT_THAT(CheckpointFolders::left_over({"pass-0001"}, {"pass-0001/later"}), testing::IsEmpty());
}

}  // namespace checkpoint_folders_test
}  // namespace surety::orchestrator
