#include "orchestrator/session/session_chunks.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace session_chunks_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};

// Two chunks of ten samples, which the job calls 5 and 9. The state of chunk 9 was saved.
SessionChunks two_chunks() {
  std::vector<data::ChunkRange> chunks;
  for (const std::uint32_t id : {5u, 9u}) chunks.push_back({.id = ChunkId{id}, .count = 10});
  return SessionChunks(chunks, {{9, {"state", 77}}});
}

proto::Prepare prepare_of(const SessionChunks& chunks, WorkerId worker,
                          const std::vector<elastic::Grant>& grants) {
  proto::Prepare prepare;
  chunks.fill(worker, grants, prepare);
  return prepare;
}

TEST(SessionChunks, MessagesNameChunksAsTheJobDoes) {
  SessionChunks chunks = two_chunks();
  chunks.join(kFirst, {});
  const auto grants = chunks.boundary({}).grants;
  const proto::Prepare prepare = prepare_of(chunks, kFirst, grants);
  ASSERT_EQ(prepare.grants_size(), 2);
  EXPECT_EQ(prepare.grants(0).range().id(), 5u);
  EXPECT_EQ(prepare.grants(1).range().id(), 9u);
  EXPECT_THAT(prepare.owned(), ElementsAre(5, 9));
  EXPECT_EQ(chunks.range_of(ChunkId{1}).id, ChunkId{9});
}

TEST(SessionChunks, StateIsReadFromItsFileIfNoWorkerHandsItOver) {
  SessionChunks chunks = two_chunks();
  chunks.join(kFirst, {});
  auto grants = chunks.boundary({}).grants;
  EXPECT_TRUE(chunks.read_state(grants));
  EXPECT_THAT(prepare_of(chunks, kFirst, grants).grants(0).state_file(), IsEmpty());
  EXPECT_EQ(prepare_of(chunks, kFirst, grants).grants(1).state_file(), "state");
  EXPECT_EQ(prepare_of(chunks, kFirst, grants).grants(1).state_checksum(), 77u);
  chunks.confirm(grants);

  chunks.join(kSecond, {});
  grants = chunks.boundary({}).grants;
  ASSERT_THAT(grants, SizeIs(1));
  EXPECT_FALSE(chunks.read_state(grants));
  EXPECT_THAT(prepare_of(chunks, kSecond, grants).grants(0).state_file(), IsEmpty());
  EXPECT_EQ(prepare_of(chunks, kFirst, grants).hand_overs(0).to(), kSecond.value);
  EXPECT_THAT(prepare_of(chunks, kFirst, grants).owned(), SizeIs(1));
}

TEST(SessionChunks, ASavedFileReplacesTheOneBefore) {
  SessionChunks chunks = two_chunks();
  proto::SavedFile file;
  file.set_path("newer");
  file.set_checksum(78);
  file.add_chunks(9);
  chunks.note_saved(file);
  chunks.join(kFirst, {});
  const auto grants = chunks.boundary({}).grants;
  EXPECT_EQ(prepare_of(chunks, kFirst, grants).grants(1).state_file(), "newer");
  EXPECT_EQ(prepare_of(chunks, kFirst, grants).grants(1).state_checksum(), 78u);
}

TEST(SessionChunks, SamplesThatAWorkerHasStayWithIt) {
  SessionChunks chunks = two_chunks();
  chunks.join(kFirst, {9, 4});  // The session does not have chunk 4.
  chunks.join(kSecond, {5});
  for (const elastic::Grant& grant : chunks.boundary({}).grants)
    EXPECT_EQ(grant.to, grant.chunk.value == 0 ? kSecond : kFirst);
}

TEST(SessionChunks, AWorkerIsFreeBeforeItJoinsAndAfterItsChunksWereHandedOver) {
  SessionChunks chunks = two_chunks();
  EXPECT_TRUE(chunks.is_free(kFirst));
  EXPECT_FALSE(chunks.leave(kFirst));
  EXPECT_FALSE(chunks.lose(kFirst));
  chunks.join(kFirst, {});
  auto grants = chunks.boundary({}).grants;
  chunks.confirm(grants);
  chunks.join(kSecond, {});
  EXPECT_TRUE(chunks.leave(kFirst));
  EXPECT_FALSE(chunks.is_free(kFirst));
  grants = chunks.boundary({}).grants;
  chunks.confirm(grants);
  EXPECT_TRUE(chunks.is_free(kFirst));
  EXPECT_FALSE(chunks.lose(kFirst));
  EXPECT_TRUE(chunks.lose(kSecond));
}

TEST(SessionChunks, AWholePassDoesNotGoOnAfterItWasCutShort) {
  for (const bool whole : {false, true}) {
    SessionChunks chunks = two_chunks();
    chunks.join(kFirst, {});
    const auto grants = chunks.boundary({}).grants;
    chunks.confirm(grants);
    EXPECT_EQ(chunks.pass_done(), 0);
    chunks.begin_pass(whole);
    chunks.commit(chunks.directory().work(15));
    EXPECT_EQ(chunks.pass_done(), 0.75);
    chunks.begin_pass(whole);
    EXPECT_EQ(chunks.pass_done(), whole ? 0 : 0.75);
    chunks.commit(chunks.directory().work(20));
    EXPECT_EQ(chunks.pass_done(), 1);
    chunks.begin_pass(whole);
    EXPECT_EQ(chunks.pass_done(), 0);
  }
}

}  // namespace session_chunks_test
}  // namespace surety::orchestrator
