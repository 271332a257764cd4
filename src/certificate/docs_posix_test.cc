// The guide and the examples of the repository. Run from its root, as ctest does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.h"
#include "certificate/certificate.h"
#include "certificate/certificate_json.h"
#include "certificate/record_test.h"
#include "job/job_file.h"
#include "test/support/job/job_schema.h"

namespace surety::certificate {
namespace docs_posix_test {

using testing::HasSubstr;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  SURETY_CHECK(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, TheGuideHasARowForEachKeyWithItsDefault) {
  std::istringstream guide(contents("docs/job-file.md"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  for (const job::KeyInfo& info : job::job_schema()) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const std::string& line) {
      return line.starts_with(fmt::format("| `{}` |", info.key));
    });
    ASSERT_NE(row, rows.end()) << info.key << " is not in docs/job-file.md";
    EXPECT_THAT(*row, HasSubstr(info.fallback)) << info.key;
    rows.erase(row);
  }
  EXPECT_TRUE(rows.empty()) << "no such key: " << rows.front();
}

TEST(Docs, TheGuidesExampleIsAJob) {
  const std::string guide = contents("docs/job-file.md");
  const std::string fence = "```yaml\n";
  std::size_t at = guide.find(fence);
  ASSERT_NE(at, std::string::npos);
  at += fence.size();
  const auto job =
      job::parse_job("job-file.md", guide.substr(at, guide.find("```", at) - at), {}, 0);
  EXPECT_TRUE(job.has_value()) << job.error().message;
}

void expect_explained(const nlohmann::json& value, const std::string& guide) {
  if (value.is_array()) {
    for (const auto& item : value) expect_explained(item, guide);
  }
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    EXPECT_THAT(guide, HasSubstr(fmt::format("`{}`", key)));
    if (key != "versions") expect_explained(inner, guide);
  }
}

TEST(Docs, EachKeyOfTheCertificateIsExplained) {
  expect_explained(nlohmann::json::parse(to_json(kept_record())), contents("docs/certificate.md"));
}

TEST(Docs, EveryExampleIsAJobAndSoIsItsText) {
  std::size_t examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    const std::string file = entry.path().string();
    const std::vector<job::Override> none;
    const std::vector<job::Override> root{{.key = "data.root", .value = "/data"}};
    for (const auto& overrides : {none, root}) {
      const auto job = job::parse_job(file, contents(entry.path()), overrides, 0);
      ASSERT_TRUE(job.has_value()) << job.error().message;
      const auto again = job::parse_job(file, job->text, {}, 0);
      ASSERT_TRUE(again.has_value()) << again.error().message;
      EXPECT_EQ(again->text, job->text);
    }
  }
  EXPECT_GE(examples, 1u);
}

}  // namespace docs_posix_test
}  // namespace surety::certificate
