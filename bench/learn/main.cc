// bench_learn [--only MEASURE] [--quick] [--data FOLDER] [--out FILE]: measures the cost of a task
// compared with the bare computation, the gain of an average of models, and the loss by a change of
// version.
//
//   dnn_single/lenet5, dnn_single/alexnet   images per CPU second of one worker's task (chunks,
//       orders, momentum, merge) over those of a bare libtorch loop. Target: at least 0.97.
//   jitter/CASE   standard deviation of the step of the validation loss after pass 7, of the
//       average of models; beside it that of the last model. Target: at most a quarter of it.
//   jitter/CASE/to_LOSS   passes until the loss is reached. Target: not more.
//       Cases: digits; with --data (the MNIST and CIFAR-10 files that the examples name) also those
//       of bench/plan_real, and MNIST and CIFAR-10 with a momentum of 0.9 and four workers.
//   prune_jump/CASE/PASSES   the network has learned for PASSES passes and is cut to half of its
//       channels: rise of the validation loss at once, compensated but without a step of learning,
//       over (chance - loss before); beside it that of the plain cut. Target: at most 0.25.
//       Cases: digits, resnet20_digits, mobilenet_digits; with --data also MNIST and CIFAR-10.
//
// Exits with 1 if the two sides do not reach about the same loss: then the figures are meaningless.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/environment.h"
#include "bench/report.h"
#include "dnn_single.h"
#include "jitter.h"
#include "jump.h"

namespace {

using namespace surety;

// Whether two losses agree, although roundings and dropout masks differ: within a quarter, or both
// near zero.
bool about_equal(double a, double b) { return std::abs(a - b) <= 0.25 * std::max(a, b) + 0.02; }

bool verify(const std::string& measure, const bench::DnnSingle& measured) {
  if (about_equal(measured.task_loss, measured.bare_loss)) return true;
  fmt::print(stderr, "{}: losses differ: {:.4f} by the task, {:.4f} by the bare loop\n", measure,
             measured.task_loss, measured.bare_loss);
  return false;
}

constexpr std::size_t kJitterAfter = 7;  // Number of passes.

// The cases without files and, if there are files, those that need them.
std::vector<bench::JitterCase> jitter_cases(bool has_files) {
  const bench::JitterCase mnist{.name = "mnist",
                                .model = "lenet5",
                                .train = "idx://mnist-train-images-idx3-ubyte.gz",
                                .validation = "idx://mnist-t10k-images-idx3-ubyte.gz",
                                .images = 6000,
                                .validation_images = 4000,
                                .targets = {0.4, 0.22, 0.15}};
  const bench::JitterCase cifar10{.name = "cifar10",
                                  .model = "alexnet",
                                  .version = "prune:0.5",
                                  .train = "cifar10://cifar10_train_1.bin.gz",
                                  .validation = "cifar10://cifar10_test.bin.gz",
                                  .images = 3000,
                                  .validation_images = 2000,
                                  .targets = {2.0, 1.8, 1.7}};
  bench::JitterCase digits = mnist;
  digits.name = "digits";
  digits.train = "digits://?samples=8000&seed=1&noise=0.7";
  digits.validation = "digits://?samples=4000&seed=1&noise=0.7&first=1000000";
  digits.images = 8000;
  digits.workers = 4;
  digits.learning_rate = 0.02;
  digits.targets = {0.5, 0.3, 0.25};
  if (!has_files) return {digits};
  bench::JitterCase mnist_study = mnist;
  bench::JitterCase cifar10_study = cifar10;
  mnist_study.name += "_study";
  mnist_study.momentum = cifar10_study.momentum = 0;
  cifar10_study.name += "_study";
  cifar10_study.batch = 64;
  cifar10_study.learning_rate = 0.1;
  bench::JitterCase mnist_job = mnist;
  bench::JitterCase cifar10_job = cifar10;
  mnist_job.workers = cifar10_job.workers = 4;
  mnist_job.images = 8000;
  mnist_job.learning_rate = 0.02;
  mnist_job.targets = {0.2, 0.15, 0.12};
  return {digits, mnist_study, mnist_job, cifar10_study, cifar10_job};
}

// Prints means over all seeds; the rows have medians.
void print_means(const bench::JitterCase& spec, const std::vector<bench::LossCurves>& curves) {
  const auto count = static_cast<double>(curves.size());
  double averaged = 0;
  double last = 0;
  for (const bench::LossCurves& of : curves) {
    averaged += std::pow(bench::jitter_of(of.averaged, kJitterAfter), 2) / count;
    last += std::pow(bench::jitter_of(of.last, kJitterAfter), 2) / count;
  }
  fmt::print("  {}: sd of all seeds {:.4f} of the average, {:.4f} of the last model, {:.3f} of it",
             spec.name, std::sqrt(averaged), std::sqrt(last), std::sqrt(averaged / last));
  for (const double target : spec.targets) {
    double ours = 0;
    double theirs = 0;
    for (const bench::LossCurves& of : curves) {
      ours += bench::passes_to(of.averaged, target) / count;
      theirs += bench::passes_to(of.last, target) / count;
    }
    fmt::print("; mean passes to {}: {:.2f}, {:.2f}", target, ours, theirs);
  }
  fmt::print("\n");
}

surety::Result<void> measure_jitter(bench::JitterCase spec, const bench::Options& options,
                                    const std::string& folder, std::uint32_t seeds,
                                    bench::Report& report) {
  if (options.quick) {
    spec.images = spec.validation_images = 256;
    spec.passes = 9;
    seeds = 1;
  }
  SURETY_TRY(const auto curves, bench::train_curves(spec, folder, seeds));
  const auto add = [&](const std::string& what, const std::string& unit, const auto& figure) {
    bench::Row row{.measure = fmt::format("jitter/{}{}", spec.name, what),
                   .unit = unit,
                   .ours = {},
                   .peers = {},
                   .higher_is_better = false};
    for (const bench::LossCurves& of : curves) {
      row.ours.push_back(figure(of.averaged));
      row.peers["the last model"].push_back(figure(of.last));
    }
    report.add(std::move(row));
  };
  add("", "sd of a loss's steps",
      [](const std::vector<double>& losses) { return bench::jitter_of(losses, kJitterAfter); });
  for (const double target : spec.targets) {
    add(fmt::format("/to_{}", target), "passes",
        [target](const std::vector<double>& losses) { return bench::passes_to(losses, target); });
  }
  print_means(spec, curves);
  return {};
}

std::vector<bench::JumpCase> jump_cases(bool has_files) {
  std::vector<bench::JumpCase> cases;
  for (const bench::JitterCase& training : jitter_cases(has_files)) {
    const bool is_alexnet = training.model == "alexnet";
    bench::JumpCase next{.training = training, .passes = {4, 14}};
    next.training.version = "full";
    if (is_alexnet) next.passes = {14};
    // At the study's rate of 0.1, the whole network diverges after some passes.
    if (is_alexnet) next.training.learning_rate = std::min(next.training.learning_rate, 0.05);
    cases.push_back(next);
  }
  for (const std::string network : {"resnet20", "mobilenet"}) {
    bench::JumpCase small{.training = jitter_cases(false).front(), .passes = {4}};
    small.training.name = network + "_digits";
    small.training.model = network;
    small.training.images = 1024;
    small.training.validation_images = 512;
    small.training.workers = 1;
    cases.push_back(small);
  }
  return cases;
}

// Prints the results of one seed, for readers who want more than medians.
void print_jump(const std::string& measure, std::uint32_t seed, const bench::Jump& jump) {
  fmt::print(
      "  {}, seed {}: {:.4f} before, {:.4f} as cut, {:.4f} compensated, {:.4f} chance; after "
      "one pass more {:.4f}, plain cut {:.4f}\n",
      measure, seed, jump.before, jump.cut, jump.after, jump.chance, jump.after_pass,
      jump.cut_after_pass);
}

surety::Result<void> measure_jumps(bench::JumpCase spec, const bench::Options& options,
                                   const std::string& folder, std::uint32_t seeds,
                                   bench::Report& report) {
  if (options.quick) {
    spec.training.images = spec.training.validation_images = 256;
    spec.passes = {1};
    seeds = 1;
  }
  SURETY_TRY(const auto jumps, bench::measure_jumps(spec, folder, seeds));
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    bench::Row row{.measure = fmt::format("prune_jump/{}/{}", spec.training.name, spec.passes[i]),
                   .unit = "rise of the loss / (chance - loss before)",
                   .ours = {},
                   .peers = {},
                   .higher_is_better = false};
    std::uint32_t seed = 0;
    for (const bench::Jump& jump : jumps[i]) {
      row.ours.push_back(bench::Jump::share(jump.before, jump.after, jump.chance));
      row.peers["plain cut"].push_back(bench::Jump::share(jump.before, jump.cut, jump.chance));
      print_jump(row.measure, ++seed, jump);
    }
    report.add(std::move(row));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  std::string folder;
  std::uint32_t seeds = 5;
  const bench::Options options = bench::parse_options(
      "The cost of a task beyond the bare computation, and the benefit of an average of models",
      argc, argv, [&](CLI::App& app) {
        app.add_option("--data", folder, "Folder of the files of MNIST and CIFAR-10");
        app.add_option("--seeds", seeds, "Seeds of each case of jitter")->capture_default_str();
      });
  bench::Report report;
  bool verified = true;
  for (const std::string model : {"lenet5", "alexnet"}) {
    const std::string measure = "dnn_single/" + model;
    if (!options.wants(measure)) continue;
    bench::DnnSingleOptions size{.model = model};
    if (options.quick) {
      size.images = 512;
      size.repeats = 1;
    }
    const auto measured = bench::measure_dnn_single(size);
    if (!measured) return fmt::print(stderr, "{}: {}\n", measure, measured.error().message), 1;
    verified &= options.quick || verify(measure, *measured);
    report.add({.measure = measure,
                .unit = "images per CPU s",
                .ours = measured->task_images_per_s,
                .peers = {{"bare libtorch loop", measured->bare_images_per_s}}});
  }
  for (const bench::JitterCase& spec : jitter_cases(!folder.empty())) {
    if (!options.wants("jitter/" + spec.name)) continue;
    const auto measured = measure_jitter(spec, options, folder, seeds, report);
    if (!measured) return fmt::print(stderr, "{}: {}\n", spec.name, measured.error().message), 1;
  }
  for (const bench::JumpCase& spec : jump_cases(!folder.empty())) {
    if (!options.wants("prune_jump/" + spec.training.name)) continue;
    const auto measured = measure_jumps(spec, options, folder, seeds, report);
    if (measured) continue;
    return fmt::print(stderr, "{}: {}\n", spec.training.name, measured.error().message), 1;
  }
  return report.write(options) && verified ? 0 : 1;
}
