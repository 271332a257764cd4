#include "runtime/worker/data_folder.h"

#include <gtest/gtest.h>

namespace surety::runtime {
namespace data_folder_test {

std::string folder_of(const std::vector<std::string>& urls) {
  std::vector<data::SourceInfo> sources;
  for (const std::string& url : urls) sources.emplace_back().url = url;
  return common_folder(sources);
}

TEST(DataFolder, ContainsAllFilesOfTheJob) {
  EXPECT_EQ(folder_of({"libsvm:///data/a9a.gz"}), "/data/");
  EXPECT_EQ(folder_of({"libsvm:///data/a9a.gz", "libsvm:///data/a9a.t.gz"}), "/data/");
  EXPECT_EQ(folder_of({"idx:///data/a/images.gz?labels=/data/b/labels.gz"}), "/data/");
  EXPECT_EQ(folder_of({"csv:///data/ab/x.csv?label=y", "csv:///data/ac/x.csv?label=y"}), "/data/");
  EXPECT_EQ(folder_of({"libsvm:///data/x", "libsvm:///mnt/x"}), "/");
  EXPECT_EQ(folder_of({"digits://?samples=100", "libsvm:///data/x"}), "/data/");
  EXPECT_EQ(folder_of({"digits://?samples=100"}), "");
}

TEST(DataFolder, FilesAreOpenedInTheWorkersOwnFolder) {
  std::string opened;
  const data::OpenFile open = [&](const std::string& path) -> Result<std::unique_ptr<ByteSource>> {
    opened = path;
    return fail(ErrorCode::kUnavailable, "not read");
  };
  for (const char* own : {"/scratch", "/scratch/"}) {
    (void)opened_in(open, "/data/", own)("/data/a/x.csv");
    EXPECT_EQ(opened, "/scratch/a/x.csv");
  }
  (void)opened_in(open, "/data/", "/scratch")("/mnt/x.csv");
  EXPECT_EQ(opened, "/mnt/x.csv");
}

}  // namespace data_folder_test
}  // namespace surety::runtime
