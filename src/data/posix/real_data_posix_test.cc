// Real data sets, from $SURETY_DATA_ROOT or from ../shared/data. The tests are skipped if there are
// no such files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"
#include "data/posix/open.h"
#include "data/sources/source_info.h"
#include "data/url.h"

namespace surety::data {
namespace real_data_posix_test {

std::string data_root() {
  const char* root = std::getenv("SURETY_DATA_ROOT");
  return root != nullptr ? root : "../shared/data";
}

// The contents of the source, or nullopt if its file does not exist.
std::optional<SourceInfo> inspect_real(const std::string& text) {
  const SourceUrl url = parse_url(text).value();
  if (!std::filesystem::exists(std::filesystem::path(data_root()) / url.path)) return std::nullopt;
  const auto info = inspect(url, local_files(data_root()));
  EXPECT_TRUE(info) << info.error().message;
  return info ? *info : SourceInfo();
}

TEST(RealData, MnistHas60000Images) {
  const auto info = inspect_real("idx://mnist-train-images-idx3-ubyte.gz");
  if (!info) GTEST_SKIP() << "no MNIST in " << data_root();
  EXPECT_EQ(info->samples, 60000u);
  EXPECT_EQ(info->schema.features, 784u);
  EXPECT_EQ(info->schema.classes, 10u);
  EXPECT_EQ(info->label_histogram.at(0), 5923u);  // The counts published with the data set.
  EXPECT_EQ(info->label_histogram.at(1), 6742u);
}

TEST(RealData, ACifar10FileHas500ImagesOfEachClass) {
  const auto info = inspect_real("cifar10://cifar10_train_1.bin.gz");
  if (!info) GTEST_SKIP() << "no CIFAR-10 in " << data_root();
  EXPECT_EQ(info->samples, 5000u);
  for (int label = 0; label < 10; ++label) {
    EXPECT_EQ(info->label_histogram.at(static_cast<float>(label)), 500u);
  }
}

TEST(RealData, A9aHas32561Rows) {
  const auto info = inspect_real("libsvm://a9a.gz");
  if (!info) GTEST_SKIP() << "no a9a in " << data_root();
  EXPECT_EQ(info->samples, 32561u);
  EXPECT_EQ(info->schema.features, 123u);
  EXPECT_EQ(info->schema.classes, 0u);
  EXPECT_EQ(info->label_histogram.at(1), 7841u);
}

TEST(RealData, The401kTableHas9915Rows) {
  const auto info = inspect_real("csv://401k.csv.gz?label=e401");
  if (!info) GTEST_SKIP() << "no 401k table in " << data_root();
  EXPECT_EQ(info->samples, 9915u);
  EXPECT_EQ(info->schema.features, 43u);
}

TEST(LocalFiles, RelativePathsStartAtTheRoot) {
  const posix::TemporaryFolder folder;
  const std::filesystem::path& root = folder.path();
  ASSERT_TRUE(posix::write_file_atomically(root / "surety_local_files", std::string_view("1\n")));
  const OpenFile open = local_files(root);
  const OpenFile elsewhere = local_files("/nowhere");
  EXPECT_TRUE(open("surety_local_files"));
  EXPECT_TRUE(elsewhere(root / "surety_local_files"));
  EXPECT_FALSE(elsewhere("surety_local_files"));
}

}  // namespace real_data_posix_test
}  // namespace surety::data
