// Linear models on real data sets, from $SURETY_DATA_ROOT or from ../shared/data beside the
// repository. Skipped if there are none.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "data/sources/chunk.h"
#include "data/sources/source_info.h"
#include "data/url.h"
#include "learn/linear/glm_cluster_test.h"

namespace surety::learn {
namespace glm_real_data_posix_test {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : name_(path), file_(path, std::ios::binary) {}

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    file_.read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
    return static_cast<std::size_t>(file_.gcount());
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string name_;
  std::ifstream file_;
};

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::string path_of(const std::string& file) {
  const char* root = std::getenv("SURETY_DATA_ROOT");
  const auto folder = root ? std::filesystem::path(root) : std::filesystem::path("../shared/data");
  return std::filesystem::absolute(folder / file).string();
}

Problem read_problem(const std::string& model, const std::string& file, std::uint32_t chunks_min) {
  const std::string url = "libsvm://" + path_of(file);
  data::SourceInfo info = data::inspect(data::parse_url(url).value(), open_file).value();
  Problem problem;
  problem.options.model = model;
  problem.options.schema = info.schema;
  problem.options.samples = info.samples;
  const auto ranges = data::cut({info}, std::uint64_t{1} << 20, chunks_min);
  problem.chunks = data::load_chunks({info}, ranges, open_file).value();
  return problem;
}

TEST(GlmRealData, HeartScaleReachesItsOptimumOnOneWorkerAndOnFour) {
  if (!std::filesystem::exists(path_of("heart_scale"))) GTEST_SKIP() << "no heart_scale";
  for (const char* model : {"logistic", "svm", "ridge"}) {
    double primal[2];
    for (const std::uint32_t workers : {1u, 4u}) {
      Problem problem = read_problem(model, "heart_scale", 8);
      ASSERT_EQ(problem.options.samples, 270u);
      problem.options.lambda = 0.01;
      GlmCluster cluster(problem.options, problem.chunks, workers);
      EXPECT_LE(cluster.iterations_to(1e-4, 1000), 1000) << model << ", " << workers;
      EXPECT_GE(cluster.objective().gap, -1e-7);
      primal[workers == 4] = cluster.objective().primal;
    }
    EXPECT_NEAR(primal[0], primal[1], 1e-4) << model;
  }
}

TEST(GlmRealData, CensusIncomeIsLearnedInTensOfIterations) {
  if (!std::filesystem::exists(path_of("a9a.gz"))) GTEST_SKIP() << "no a9a.gz";
  double primal[2];
  for (const std::uint32_t workers : {1u, 4u}) {
    // At lambda = 1/n these rows (14 ones each) are so ill-conditioned that a plain pass of dual
    // ascent needs hundreds of iterations; 1e-3 is a usual strength of regularisation.
    Problem problem = read_problem("logistic", "a9a.gz", 64);
    ASSERT_EQ(problem.options.samples, 32561u);
    problem.options.lambda = 1e-3;
    GlmCluster cluster(problem.options, problem.chunks, workers);
    const int iterations = cluster.iterations_to(1e-3, 40);
    fmt::print("a9a, logistic, {} workers: gap 1e-3 after {} iterations\n", workers, iterations);
    EXPECT_LE(iterations, workers == 1 ? 15 : 35);
    primal[workers == 4] = cluster.objective().primal;
  }
  EXPECT_NEAR(primal[0], primal[1], 1e-3);
}

}  // namespace glm_real_data_posix_test
}  // namespace surety::learn
