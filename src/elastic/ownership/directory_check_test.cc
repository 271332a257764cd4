#include "elastic/ownership/directory_check.h"

#include <gtest/gtest.h>

namespace surety::elastic {
namespace directory_check_test {

constexpr WorkerId kHere{1};
constexpr WorkerId kAlsoHere{2};
constexpr WorkerId kGone{3};

const std::set<WorkerId> kLive{kHere, kAlsoHere};

Entry owned() { return {.state = Ownership::kOwned, .owner = kHere, .version = 1}; }
Entry handing() {
  return {.state = Ownership::kHanding, .owner = kHere, .holder = kAlsoHere, .version = 2};
}
Entry orphan() { return {.state = Ownership::kOrphan, .owner = kGone, .version = 2}; }

// Checks a directory of one chunk of 10 samples.
std::optional<std::string> violation(const Entry& entry, const std::set<WorkerId>& leaving = {}) {
  const std::vector<ChunkSize> chunks{{.id = ChunkId{0}, .samples = 10, .bytes = 1}};
  return ownership_violation(std::vector{entry}, chunks, kLive, leaving);
}

TEST(DirectoryCheck, WhatIsLegalIsNoViolation) {
  EXPECT_EQ(violation({}), std::nullopt);
  EXPECT_EQ(violation(owned()), std::nullopt);
  EXPECT_EQ(violation(handing()), std::nullopt);
  EXPECT_EQ(violation(orphan()), std::nullopt);
}

TEST(DirectoryCheck, SeesAnOwnerWhoIsGone) {
  Entry entry = owned();
  entry.owner = kGone;
  EXPECT_EQ(violation(entry), "chunk 0: owner 3 is not a live worker");
}

TEST(DirectoryCheck, SeesASecondOwner) {
  Entry entry = owned();
  entry.holder = kAlsoHere;
  EXPECT_EQ(violation(entry), "chunk 0: is owned, and also held by 2");
}

TEST(DirectoryCheck, SeesAHandOverToOrFromWhoIsGone) {
  Entry entry = handing();
  entry.holder = kGone;
  EXPECT_EQ(violation(entry), "chunk 0: holder 3 is not a live worker");
  entry = handing();
  entry.owner = kGone;
  EXPECT_EQ(violation(entry), "chunk 0: receiver 3 is not a live worker");
}

TEST(DirectoryCheck, SeesAHandOverToItself) {
  Entry entry = handing();
  entry.holder = kHere;
  EXPECT_EQ(violation(entry), "chunk 0: is handed over by 1 to itself");
}

TEST(DirectoryCheck, SeesAnOrphanWhoseOwnerLives) {
  Entry entry = orphan();
  entry.owner = kHere;
  EXPECT_EQ(violation(entry), "chunk 0: is an orphan of 1, which is a live worker");
  entry = orphan();
  entry.holder = kHere;
  EXPECT_EQ(violation(entry), "chunk 0: is an orphan, but held by 1");
}

TEST(DirectoryCheck, SeesMoreSamplesDoneThanThereAre) {
  Entry entry = owned();
  entry.samples_done = 10;
  EXPECT_EQ(violation(entry), std::nullopt);
  entry.samples_done = 11;
  EXPECT_EQ(violation(entry), "chunk 0: 11 samples are done of 10");
}

TEST(DirectoryCheck, SeesProgressOnWhatNobodyEverHad) {
  EXPECT_EQ(violation({.samples_done = 1}), "chunk 0: was never granted, but a worker had it");
}

TEST(DirectoryCheck, SeesALeaverThatIsHeldBackForNothing) {
  EXPECT_EQ(violation(owned(), {kHere}), std::nullopt);
  EXPECT_EQ(violation(handing(), {kAlsoHere}), std::nullopt);
  EXPECT_EQ(violation(owned(), {kAlsoHere}),
            "worker 2 leaves and has no chunk, but has not departed");
}

TEST(DirectoryCheck, SeesAMissingEntry) {
  const std::vector<ChunkSize> chunks{{.id = ChunkId{0}, .samples = 10, .bytes = 1}};
  EXPECT_EQ(ownership_violation({}, chunks, kLive, {}), "0 entries for 1 chunks");
}

}  // namespace directory_check_test
}  // namespace surety::elastic
