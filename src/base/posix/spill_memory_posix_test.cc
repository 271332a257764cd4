#include "base/posix/spill_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/posix/temporary_folder.h"

namespace surety::posix {
namespace spill_memory_posix_test {

constexpr std::size_t kLarge = SpillMemory::kBytesMin;

class SpillMemoryTest : public testing::Test {
 protected:
  // Bytes of memory whose contents are in files of the folder.
  [[nodiscard]] std::uint64_t spilled() const {
    std::ifstream mappings("/proc/self/maps");
    std::uint64_t bytes = 0;
    for (std::string line; std::getline(mappings, line);) {
      if (line.find(folder_.path().string()) == line.npos) continue;
      char* end = nullptr;
      const std::uint64_t first = std::strtoull(line.c_str(), &end, 16);
      bytes += std::strtoull(end + 1, nullptr, 16) - first;  // "7f00-7f80 rw-s ..."
    }
    return bytes;
  }
  TemporaryFolder folder_;
  std::unique_ptr<SpillMemory> spill_ = SpillMemory::create(folder_.path()).value();
};

TEST_F(SpillMemoryTest, LargeArraysKeepWhatIsWrittenToThem) {
  std::vector<std::pmr::vector<int>> arrays;
  for (int i = 0; i < 5; ++i) {
    std::pmr::vector<int>& array = arrays.emplace_back(std::pmr::vector<int>(kLarge, spill_.get()));
    std::iota(array.begin(), array.end(), i);
  }
  for (int i = 0; i < 5; ++i) {
    const auto last = static_cast<std::size_t>(i);
    EXPECT_EQ(arrays[last].front(), i);
    EXPECT_EQ(arrays[last].back(), static_cast<int>(kLarge) - 1 + i);
  }
  EXPECT_EQ(spilled(), 5 * kLarge * sizeof(int));
}

TEST_F(SpillMemoryTest, SmallArraysStayInMemory) {
  const std::pmr::vector<char> array(kLarge - 1, 'x', spill_.get());
  EXPECT_EQ(spilled(), 0u);
}

TEST_F(SpillMemoryTest, WhatIsFreedIsFreeInTheFile) {
  { const std::pmr::vector<char> array(kLarge, 'x', spill_.get()); }
  EXPECT_EQ(spilled(), 0u);
  for (int i = 0; i < 100; ++i) {
    const std::pmr::vector<char> array(3 * kLarge, 'y', spill_.get());
    EXPECT_EQ(array[kLarge], 'y');
  }
  EXPECT_EQ(spilled(), 0u);
}

TEST_F(SpillMemoryTest, ItsFileHasNoName) {
  const std::pmr::vector<char> array(kLarge, 'x', spill_.get());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(SpillMemoryTest, MoreThanTheDiskHoldsIsAnException) {
  EXPECT_THROW((void)spill_->allocate(std::size_t{1} << 50), std::bad_alloc);
  EXPECT_EQ(spilled(), 0u);
}

TEST(SpillMemory, FolderThatIsNotThereIsNamed) {
  const auto spill = SpillMemory::create("/not/there");
  ASSERT_FALSE(spill);
  EXPECT_EQ(spill.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(spill.error().message.find("/not/there"), std::string::npos);
}

}  // namespace spill_memory_posix_test
}  // namespace surety::posix
