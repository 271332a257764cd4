#include "bench/studies/study.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "bench/studies/recording.h"
#include "job/job.h"
#include "learn/network/network_version.h"
#include "model/net_spec.h"
#include "model/zoo.h"

namespace surety::bench {
namespace study_test {

TEST(Studies, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Study& study : studies()) EXPECT_TRUE(names.insert(study.name).second) << study.name;
  EXPECT_TRUE(study_named("lenet5-cifar10"));
  EXPECT_FALSE(study_named("lenet5"));
}

TEST(Studies, VirtualSecondsFollowTheMultiplyAdds) {
  for (const Study& study : studies()) {
    const bool is_color = study.train.front().starts_with("cifar10://");
    const model::NetSpec full = model::zoo(study.network, is_color ? model::Input{3, 32, 32, 10}
                                                                   : model::Input{1, 28, 28, 10})
                                    .value();
    const double full_s = study.versions.front().pass_s;
    for (const StudyVersion& version : study.versions) {
      const model::NetSpec spec = learn::spec_of_version(full, version.name).value();
      const double share = 1.0 * static_cast<double>(model::multiply_adds(spec)) /
                           static_cast<double>(model::multiply_adds(full));
      EXPECT_NEAR(version.pass_s / full_s, 0.1 + 0.9 * share, 0.0051)
          << study.name << " " << version.name;
    }
  }
}

TEST(Studies, PartsMakeUpTheHalves) {
  for (const Study& study : studies()) {
    EXPECT_EQ(images_of_part(study) * kParts, 2 * study.validation_images) << study.name;
  }
}

TEST(Studies, AreMeasuredAsAJobWithoutSettingsIsUnlessTheyAreRaw) {
  for (const Study& study : studies()) {
    const bool is_raw = study.name.ends_with("-raw");
    EXPECT_EQ(study.average,
              is_raw ? std::nullopt : job::TrainSpec().average_passes)
        << study.name;
    EXPECT_NE(provenance_of(study).text().find(is_raw ? " average=off " : " average=2 "),
              std::string::npos)
        << study.name;
  }
  EXPECT_EQ(
      differences(provenance_of(*study_named("mnist-raw")), provenance_of(*study_named("mnist"))),
      "average: found off, expected 2");
}

TEST(Studies, WhatIsRecordedDoesNotDependOnHowMuchOfItIs) {
  Study study = *study_named("mnist");
  const std::string before = provenance_of(study).text();
  study.seeds = 7;
  study.passes = 99;
  study.versions.pop_back();
  EXPECT_EQ(provenance_of(study).text(), before);
}

TEST(Studies, EachPartOfTheRecipeIsAPartOfTheProvenance) {
  const Study mnist = *study_named("mnist");
  const auto differs = [&](auto&& change) {
    Study study = mnist;
    change(study);
    return differences(provenance_of(study), provenance_of(mnist));
  };
  EXPECT_EQ(differs([](Study& s) { s.average = 1; }), "average: found 1, expected 2");
  EXPECT_EQ(differs([](Study& s) { s.momentum = 0.9; }), "momentum: found 0.9, expected none");
  EXPECT_NE(differs([](Study& s) { s.learning_rate *= 2; }), "");
  EXPECT_NE(differs([](Study& s) { s.batch *= 2; }), "");
  EXPECT_NE(differs([](Study& s) { s.images /= 2; }), "");
  EXPECT_NE(differs([](Study& s) { s.network = "mlp"; }), "");
  EXPECT_NE(differs([](Study& s) { s.validation_images = 80; }), "");
}

}  // namespace study_test
}  // namespace surety::bench
