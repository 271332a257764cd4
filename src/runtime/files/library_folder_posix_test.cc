#include "runtime/files/library_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"

namespace surety::runtime {
namespace library_folder_posix_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

plan::LibraryEntry entry(std::uint32_t jobs, const std::string& content = "00ff") {
  plan::LibraryEntry entry;
  entry.program = "1.0";
  entry.job = "two words";
  entry.finished = "2026-01-01T00:00:00Z";
  entry.outcome = "kept";
  entry.made_for.aspects = {{"model.zoo", "mlp"}, {"data.digits.content", content}};
  entry.workers = 1;
  entry.versions = {"full"};
  const std::size_t size = plan::Belief::parameters(1, false);
  entry.earlier_jobs.laws.mean.assign(size, 0);
  entry.earlier_jobs.laws.covariance.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) entry.earlier_jobs.laws.covariance[i * size + i] = 1;
  entry.earlier_jobs.jobs = jobs;
  entry.earlier_jobs.passes = 5 * jobs;
  entry.earlier_jobs.same_data = true;
  return entry;
}

class LibraryFolder : public ::testing::Test {
 protected:
  std::string add(const plan::LibraryEntry& entry) {
    const auto id = add_entry(path_, entry);
    EXPECT_TRUE(id) << id.error().message;
    return id.value_or("");
  }
  [[nodiscard]] Library read() const {
    const auto library = read_library(path_);
    EXPECT_TRUE(library) << library.error().message;
    return library.value_or(Library{});
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }

  const posix::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "a/b";
};

TEST_F(LibraryFolder, IsEmptyBeforeTheFirstEntryAndPrivateAfterIt) {
  EXPECT_THAT(read().ids, SizeIs(0));
  const std::string id = add(entry(1));
  EXPECT_THAT(id, testing::StartsWith("two-words-"));
  EXPECT_THAT(read().ids, ElementsAre(id));
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(LibraryFolder, OfJobsThatEndedInTheSameSecondTheOneThatKnowsMoreIsNewer) {
  std::vector<std::string> ids;
  for (const std::uint32_t jobs : {1u, 2u, 3u, 4u}) ids.push_back(add(entry(jobs)));
  EXPECT_EQ(read().ids, ids);
}

TEST_F(LibraryFolder, WhatIsNoEntryIsLeftAsideWithAWarning) {
  const std::string id = add(entry(1));
  const std::string text = posix::read_file(path_ / (id + ".json")).value();
  write("half.json", text.substr(0, text.size() / 2));
  std::string flipped = text;
  flipped[text.find("1.0")] = '2';
  write("flipped.json", flipped);
  write("foreign.json", "{\"hello\": 1}");
  write("notes.txt", "mine");
  const Library library = read();
  EXPECT_THAT(library.ids, ElementsAre(id));
  EXPECT_THAT(library.warnings,
              testing::UnorderedElementsAre(HasSubstr("half.json"),
                                            HasSubstr("flipped.json: checksum: found"),
                                            HasSubstr("foreign.json")));
}

TEST_F(LibraryFolder, AFileThatIsTooLargeIsNotRead) {
  add(entry(1));
  write("large.json", "");
  std::filesystem::resize_file(path_ / "large.json", plan::kEntryBytesMax + 1);
  EXPECT_THAT(read().warnings, ElementsAre(HasSubstr("large.json")));
}

TEST_F(LibraryFolder, KeepsTheFourThatKnowMostOfEachDataSet) {
  const std::string other = add(entry(1, "1234"));
  for (std::uint32_t jobs = 1; jobs <= 6; ++jobs) add(entry(jobs));
  const Library library = read();
  EXPECT_THAT(library.ids, SizeIs(5));
  EXPECT_THAT(library.ids, testing::Contains(other));
  for (const plan::LibraryEntry& kept : library.entries) {
    EXPECT_TRUE(kept.earlier_jobs.jobs >= 3 || kept.made_for != entry(1).made_for);
  }
}

TEST_F(LibraryFolder, RunsThatEndAtOnceLoseNoEntry) {
  std::vector<std::future<std::string>> writers;
  for (std::uint32_t i = 0; i < 8; ++i) {
    writers.push_back(
        std::async(std::launch::async, [this, i] { return add(entry(1, std::to_string(i))); }));
  }
  for (auto& writer : writers) writer.get();
  const Library library = read();
  EXPECT_THAT(library.ids, SizeIs(8));
  EXPECT_THAT(library.warnings, SizeIs(0));
}

TEST_F(LibraryFolder, ForgetsWhatItHasAndNothingElse) {
  const std::string id = add(entry(1));
  write("mine.json", "{}");
  for (const std::string& wrong : std::vector<std::string>{"", "..", "../b/" + id, "other"}) {
    EXPECT_FALSE(forget_entry(path_, wrong)) << wrong;
  }
  ASSERT_TRUE(forget_entry(path_, id));
  EXPECT_THAT(read().ids, SizeIs(0));
  EXPECT_TRUE(std::filesystem::exists(path_ / "mine.json"));
}

TEST_F(LibraryFolder, AFileInItsPlaceIsAnError) {
  std::ofstream(folder_.path() / "a") << "no folder";
  EXPECT_FALSE(add_entry(path_, entry(1)));
  EXPECT_FALSE(read_library(folder_.path() / "a"));
}

}  // namespace library_folder_posix_test
}  // namespace surety::runtime
