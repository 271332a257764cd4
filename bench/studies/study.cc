#include "bench/studies/study.h"

#include <algorithm>
#include <utility>

#include "bench/studies/recording.h"

namespace surety::bench {
namespace {

// Version of the code that learns (src/learn, src/model). It is raised when the same study no
// longer gives the same losses, which the test LearningVersion notices. Recordings of another
// version are refused.
//
// The loss right after a cut to fewer channels has changed without a new version, because no
// recording had such a path.
constexpr std::uint32_t kLearningVersion = 1;

Study mnist() {
  return {.name = "mnist",
          .network = "lenet5",
          .train = {"idx://mnist-train-images-idx3-ubyte.gz"},
          .validation = "idx://mnist-t10k-images-idx3-ubyte.gz",
          .versions = {{"full", 100}, {"prune:0.5", 39}, {"prune:0.75", 24}},
          .images = 6000,
          .validation_images = 4800,
          .batch = 32,
          .learning_rate = 0.01,
          .seeds = 100,
          .passes = 14,
          .profile_seeds = 24,
          .profile_passes = 14,
          .target = 0.22};
}

Study cifar10() {
  return {.name = "cifar10",
          .network = "alexnet",
          .train = {"cifar10://cifar10_train_1.bin.gz"},
          .validation = "cifar10://cifar10_test.bin.gz",
          .versions = {{"full", 100}, {"prune:0.5", 33}, {"prune:0.75", 16}},
          .images = 3000,
          .validation_images = 2000,
          .batch = 64,
          .learning_rate = 0.1,
          .seeds = 100,
          .passes = 14,
          .profile_seeds = 20,
          .profile_passes = 14,
          .target = 1.8};
}

// There are enough images that the best loss is limited by the size of a version and not by
// overfitting.
Study lenet5_cifar10() {
  return {.name = "lenet5-cifar10",
          .network = "lenet5",
          .train = {"cifar10://cifar10_train_1.bin.gz", "cifar10://cifar10_train_2.bin.gz",
                    "cifar10://cifar10_train_3.bin.gz", "cifar10://cifar10_train_4.bin.gz"},
          .validation = "cifar10://cifar10_test.bin.gz",
          .versions = {{"full", 100}, {"prune:0.5", 45}, {"prune:0.75", 30}, {"prune:0.9", 19}},
          .images = 20000,
          .validation_images = 2496,
          .batch = 32,
          .learning_rate = 0.01,
          .momentum = 0.9,
          .seeds = 40,
          .passes = 30,
          .profile_seeds = 20,
          .profile_passes = 30,
          .target = 1.6};
}

// This study needs no files and takes seconds. It shows that recording works, but its figures have
// no meaning.
Study digits() {
  return {.name = "digits",
          .network = "lenet5",
          .train = {"digits://?samples=256"},
          .validation = "digits://?samples=160&first=256",
          .versions = {{"full", 100}, {"prune:0.5", 39}},
          .images = 256,
          .validation_images = 80,
          .batch = 32,
          .learning_rate = 0.05,
          .seeds = 2,
          .passes = 3,
          .switch_after = {2},
          .switch_passes = 1,
          .profile_seeds = 2,
          .profile_passes = 3,
          .target = 2};
}

Study on_part_of_data(Study study, const char* suffix, std::uint32_t divisor) {
  study.name += suffix;
  study.images /= divisor;
  for (StudyVersion& version : study.versions) version.pass_s /= divisor;
  return study;
}

Study at_half_the_rate(Study study) {
  study.name += "-slow";
  study.learning_rate /= 2;
  return study;
}

Study without_average(Study study) {
  study.name += "-raw";
  study.average.reset();
  return study;
}

}  // namespace

const std::vector<Study>& studies() {
  static const std::vector<Study> all = [] {
    std::vector<Study> list{mnist(), without_average(mnist()), cifar10(), lenet5_cifar10()};
    for (const Study& study : std::vector<Study>{mnist(), lenet5_cifar10()}) {
      list.push_back(on_part_of_data(study, "-half", 2));
      list.push_back(on_part_of_data(study, "-quarter", 4));
      list.push_back(at_half_the_rate(study));
    }
    list.push_back(digits());
    return list;
  }();
  return all;
}

Result<Study> study_named(std::string_view name) {
  std::string names;
  for (const Study& study : studies()) {
    if (study.name == name) return study;
    names += (names.empty() ? "" : ", ") + study.name;
  }
  return fail(ErrorCode::kInvalidInput, "study: found '{}', expected one of {}", name, names);
}

Provenance provenance_of(const Study& study) {
  Provenance provenance;
  provenance.put("network", study.network);
  provenance.put("images", fmt::format("{}", study.images));
  provenance.put("part", fmt::format("{}", images_of_part(study)));
  provenance.put("batch", fmt::format("{}", study.batch));
  provenance.put("learning_rate", fmt::format("{}", study.learning_rate));
  provenance.put("average", study.average ? fmt::format("{}", *study.average) : "off");
  // All other options are omitted if they are off, so that files from before such an option existed
  // stay valid.
  if (study.momentum > 0) provenance.put("momentum", fmt::format("{}", study.momentum));
  provenance.put("learning", fmt::format("{}", kLearningVersion));
  return provenance;
}

std::uint32_t images_of_part(const Study& study) { return 2 * study.validation_images / kParts; }

std::string describe_halves(const Study& study) {
  return fmt::format("{} on {} images of {}, batch {}, learning rate {}, {} + {} validation images",
                     study.network, study.images, study.name, study.batch, study.learning_rate,
                     study.validation_images, study.validation_images);
}

}  // namespace surety::bench
