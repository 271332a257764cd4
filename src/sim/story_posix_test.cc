#include <gtest/gtest.h>

#include <filesystem>

#include "base/posix/file.h"
#include "sim/story.h"

namespace surety::sim {
namespace story_posix_test {

std::vector<std::filesystem::path> stories() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios")) {
    if (entry.path().filename() != "seeds.txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Stories, EachStoryEndsAsRecorded) {
  ASSERT_GE(stories().size(), 7u);
  for (const std::filesystem::path& file : stories()) {
    const std::string text = posix::read_file(file).value();
    const auto story = read_story(file.string(), text);
    ASSERT_TRUE(story) << story.error().message;
    EXPECT_EQ(run_story(*story), story->expected)
        << file << ": surety sim --story " << file << " --rewrite writes it anew";
  }
}

TEST(Stories, AnInvalidLineIsNamed) {
  const auto story = read_story("s.txt", "nodes 2\nat 3: crush node 1\n");
  ASSERT_FALSE(story);
  EXPECT_EQ(story.error().message, "s.txt:2: found 'crush', expected a fault");
  EXPECT_FALSE(read_story("s.txt", "knots 2\n"));
  EXPECT_FALSE(read_story("s.txt", "nodes\n"));
  EXPECT_FALSE(read_story("s.txt", "on phase: crash\n"));
}

}  // namespace story_posix_test
}  // namespace surety::sim
