#include "plan/library/profile_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace surety::plan {
namespace profile_library_test {

using testing::HasSubstr;

LibraryEntry entry() {
  LibraryEntry entry;
  entry.program = "1.0";
  entry.job = "digits";
  entry.finished = "2026-01-01T00:00:00Z";
  entry.outcome = "kept";
  entry.made_for.aspects = {{"promise.metric", "loss"},
                            {"promise.target", "0.5"},
                            {"model.zoo", "mlp"},
                            {"train.learning_rate", "0.01"},
                            {"train.passes_max", "100"},
                            {"data.digits.samples", "3000"},
                            {"data.digits.content", "00ff"},
                            {"data.digits.features", "64"},
                            {"data.digits.classes", "10"},
                            {"data.digits.price", "0"},
                            {"cluster.nodes.local.price", "1/h"}};
  entry.workers = 2;
  entry.versions = {"full", "prune:0.5"};
  const std::size_t size = Belief::parameters(2, false);
  entry.earlier_jobs.laws.mean.assign(size, 0.25);
  entry.earlier_jobs.laws.covariance.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) entry.earlier_jobs.laws.covariance[i * size + i] = 0.5;
  entry.earlier_jobs.jobs = 2;
  entry.earlier_jobs.passes = 14;
  entry.earlier_jobs.same_data = true;
  entry.earlier_jobs.first_attempts = {{.seed = 1, .version = "full", .metrics = {2, 0.4}}};
  return entry;
}

// `entry()` with one aspect changed.
LibraryEntry with(const std::string& aspect, const std::string& value) {
  LibraryEntry other = entry();
  other.made_for.aspects[aspect] = value;
  return other;
}

Relation relation_with(const LibraryEntry& other) {
  return relation_of(job_of(entry()), job_of(other));
}

TEST(LibraryEntry, IsReadAsItWasWritten) {
  const std::string text = to_json(entry());
  const auto read = library_entry_from_json("a.json", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->earlier_jobs.first_attempts.front().metrics, (std::vector<double>{2, 0.4}));
  EXPECT_TRUE(read->earlier_jobs.same_data);
}

TEST(LibraryEntry, IsRefusedWhenAnyByteOfItHasChanged) {
  const std::string text = to_json(entry());
  std::size_t refused = 0;
  std::size_t same = 0;
  std::size_t tried = 0;
  for (std::size_t i = 0; i < text.size(); i += 3, ++tried) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto read = library_entry_from_json("a.json", changed);
    // A change of white space to other white space is not a difference.
    if (!read) ++refused;
    if (read && to_json(*read) == text) ++same;
  }
  EXPECT_EQ(refused + same, tried);
  EXPECT_GT(refused, tried / 2);
}

TEST(LibraryEntry, IsRefusedWithWhatIsWrongAndWhere) {
  const auto message = [](auto change) {
    LibraryEntry broken = entry();
    change(broken);
    const auto read = library_entry_from_json("a.json", to_json(broken));
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_THAT(message([](LibraryEntry& e) {
                e.versions = {"full", "full"};
              }),
              HasSubstr("a.json: versions: found 2 with 1 different names"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.laws.mean.pop_back(); }),
              HasSubstr("lessons.laws.mean: found"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.laws.covariance[0] = -1; }),
              HasSubstr("lessons.laws: found no normal distribution"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.jobs = 0; }), HasSubstr("found 0 jobs"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.first_attempts[0].metrics.clear(); }),
              HasSubstr("first_attempts[0].metrics: found 0 values"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.first_attempts[0].metric_se = -1; }),
              HasSubstr("first_attempts[0].metric_se: found -1"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.first_attempts[0].metrics = {-1}; }),
              HasSubstr("first_attempts[0].metrics: found -1"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.earlier_jobs.first_attempts[0].version = "other"; }),
              HasSubstr("first_attempts[0].version: found other, expected one of the versions"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.made_for.aspects["promise.metric"] = "accuracy"; }),
              HasSubstr("first_attempts[0].metrics: found 2, expected at most 1 for an accuracy"));
  EXPECT_THAT(message([](LibraryEntry& e) { e.finished = "9999"; }),
              HasSubstr("finished: found 9999, expected a time"));
  EXPECT_THAT(message([](LibraryEntry& e) {
                e.versions = {"full", "a\nb"};
              }),
              HasSubstr("versions: found"));
  // Text that is shown on a terminal must be plain text on one line.
  EXPECT_THAT(message([](LibraryEntry& e) { e.outcome = "kept\x1b[2J"; }), HasSubstr("outcome: "));
  EXPECT_THAT(message([](LibraryEntry& e) { e.job = "a\nb"; }), HasSubstr("job: "));
  EXPECT_THAT(message([](LibraryEntry& e) { e.finished += "\xc2\x9b[J"; }),
              HasSubstr("finished: "));
  EXPECT_THAT(message([](LibraryEntry& e) { e.program += "\u202e"; }), HasSubstr("program: "));
  EXPECT_THAT(message([](LibraryEntry& e) { e.finished.assign(300, 'x'); }),
              HasSubstr("finished: found 300 bytes"));
  EXPECT_THAT(library_entry_from_json("a.json", "[]").error().message,
              HasSubstr("expected an entry that a run wrote"));
}

// An earlier format had laws in other units, which must not be used as current ones.
TEST(LibraryEntry, OfAnotherVersionIsRefusedAsSuch) {
  std::string text = to_json(entry());
  const std::string_view today = "surety profile 2";
  text.replace(text.find(today), today.size(), "surety profile 1");
  EXPECT_THAT(
      library_entry_from_json("a.json", text).error().message,
      HasSubstr("a.json: format: found \"surety profile 1\", expected \"surety profile 2\": "
                "another version of Surety wrote it"));
}

// Entries of jobs with one worker contain no law about the number of workers.
TEST(LibraryEntry, IsReadWithAndWithoutTheEffectOfWorkers) {
  LibraryEntry with = entry();
  const auto law = fitted(with.earlier_jobs.laws, Belief::parameters(2, true));
  ASSERT_TRUE(law.has_value());
  with.earlier_jobs.laws = *law;
  for (const LibraryEntry& one : {entry(), with}) {
    const auto read = library_entry_from_json("a.json", to_json(one));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->earlier_jobs.laws.mean, one.earlier_jobs.laws.mean);
  }
}

TEST(ProfileLibrary, OtherTargetsPricesAndNamesAreTheSameJob) {
  EXPECT_EQ(relation_with(with("promise.target", "0.1")), Relation::kSameData);
  EXPECT_EQ(relation_with(with("cluster.nodes.local.price", "9/h")), Relation::kSameData);
  EXPECT_EQ(relation_with(with("data.digits.price", "9")), Relation::kSameData);
  EXPECT_EQ(relation_with(with("train.passes_max", "9")), Relation::kSameData);
  LibraryEntry renamed = entry();
  for (auto& key : {"samples", "content", "features", "classes", "price"}) {
    auto node = renamed.made_for.aspects.extract(std::string("data.digits.") + key);
    node.key() = std::string("data.numbers.") + key;
    renamed.made_for.aspects.insert(std::move(node));
  }
  EXPECT_EQ(relation_with(renamed), Relation::kSameData);
}

TEST(ProfileLibrary, OtherSamplesAreTheSameKind) {
  EXPECT_EQ(relation_with(with("data.digits.content", "1234")), Relation::kSameKind);
  EXPECT_EQ(relation_with(with("data.digits.samples", "4000")), Relation::kSameKind);
}

TEST(ProfileLibrary, AnotherModelOrTrainingIsAnotherKind) {
  EXPECT_EQ(relation_with(with("model.zoo", "lenet5")), Relation::kNone);
  EXPECT_EQ(relation_with(with("train.learning_rate", "0.02")), Relation::kNone);
  EXPECT_EQ(relation_with(with("data.digits.classes", "2")), Relation::kNone);
  EXPECT_EQ(relation_with(with("promise.metric", "accuracy")), Relation::kNone);
  LibraryEntry other = entry();
  other.workers = 3;
  EXPECT_EQ(relation_with(other), Relation::kNone);
  other = entry();
  other.versions = {"full", "prune:0.75"};
  EXPECT_EQ(relation_with(other), Relation::kNone);
}

TEST(ProfileLibrary, TheSameDataGoesBeforeMoreJobsAndMoreJobsBeforeLaterOnes) {
  LibraryEntry other_data = with("data.digits.content", "1234");
  LibraryEntry few = entry();
  LibraryEntry many = entry();
  other_data.earlier_jobs.jobs = 50;
  few.finished = "2026-02-01T00:00:00Z";
  many.earlier_jobs.jobs = 5;
  const std::vector<LibraryEntry> all{other_data, few, many, few};
  const auto known = known_of(all, job_of(entry()));
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->jobs, 5u);
  EXPECT_TRUE(known->same_data);
}

TEST(ProfileLibrary, AttemptsOnOtherDataAreNotCounted) {
  const std::vector<LibraryEntry> all{with("data.digits.content", "1234")};
  const auto known = known_of(all, job_of(entry()));
  ASSERT_TRUE(known.has_value());
  EXPECT_FALSE(known->same_data);
  EXPECT_TRUE(known->first_attempts.empty());
  EXPECT_FALSE(known_of(all, job_of(with("model.zoo", "lenet5"))).has_value());
}

TEST(ProfileLibrary, AnEntryGoesWhenAsManyNewerOnesOfItsDataHoldMore) {
  std::vector<LibraryEntry> all{entry(), entry(), entry(), with("data.digits.content", "1234")};
  for (std::uint32_t i = 0; i < 3; ++i) all[i].earlier_jobs.jobs = i + 1;
  EXPECT_THAT(superseded(all, job_of(entry()), 2), testing::ElementsAre(0u));
  EXPECT_THAT(superseded(all, job_of(entry()), 1), testing::ElementsAre(0u, 1u));
}

}  // namespace profile_library_test
}  // namespace surety::plan
