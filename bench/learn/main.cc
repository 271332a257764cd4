// bench_learn [--only MEASURE] [--quick] [--out FILE]: what a task costs over the bare computation.
//
//   dnn_single/lenet5, dnn_single/alexnet   images per CPU second of one worker's task (chunks,
//       orders, momentum, merge) over those of a bare libtorch loop. Target: at least 0.97.
//
// Exits with 1 where the two sides do not reach about the same loss: then the figures mean nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/environment.h"
#include "bench/report.h"
#include "dnn_single.h"

namespace {

using namespace surety;

// Different roundings and dropout masks, the same learning: within a quarter, or both next to zero.
bool about_equal(double a, double b) { return std::abs(a - b) <= 0.25 * std::max(a, b) + 0.02; }

bool verify(const std::string& measure, const bench::DnnSingle& measured) {
  if (about_equal(measured.task_loss, measured.bare_loss)) return true;
  fmt::print(stderr, "{}: losses differ: {:.4f} by the task, {:.4f} by the bare loop\n", measure,
             measured.task_loss, measured.bare_loss);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  const bench::Options options =
      bench::parse_options("What a task costs over the bare computation", argc, argv);
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
  return report.write(options) && verified ? 0 : 1;
}
