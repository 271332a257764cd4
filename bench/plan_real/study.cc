#include "study.h"

#include <algorithm>

namespace surety::bench {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      {.name = "mnist",
       .network = "lenet5",
       .train = {"idx://mnist-train-images-idx3-ubyte.gz"},
       .validation = "idx://mnist-t10k-images-idx3-ubyte.gz",
       .versions = {{"full", 100}, {"prune:0.5", 39}, {"prune:0.75", 24}},
       .images = 6000,
       .validation_images = 4800,
       .batch = 32,
       .learning_rate = 0.01,
       .profile_seeds = 24,
       .profile_passes = 14,
       .eval_s = 5,
       .switch_s = 5,
       .target = 0.22},
      {.name = "cifar10",
       .network = "alexnet",
       .train = {"cifar10://cifar10_train_1.bin.gz"},
       .validation = "cifar10://cifar10_test.bin.gz",
       .versions = {{"full", 100}, {"prune:0.5", 33}, {"prune:0.75", 16}},
       .images = 3000,
       .validation_images = 2000,
       .batch = 64,
       .learning_rate = 0.1,
       .profile_seeds = 20,
       .profile_passes = 14,
       .eval_s = 5,
       .switch_s = 5,
       .target = 1.8},
  };
  return all;
}

Result<Study> study_named(std::string_view name) {
  for (const Study& study : studies()) {
    if (study.name == name) return study;
  }
  return fail(ErrorCode::kInvalidInput, "study: found {}, expected mnist or cifar10", name);
}

std::string describe(const Study& study) {
  return fmt::format("{} on {} images of {}, batch {}, learning rate {}, {} + {} validation images",
                     study.network, study.images, study.name, study.batch, study.learning_rate,
                     study.validation_images, study.validation_images);
}

}  // namespace surety::bench
