// bench_learn [--only MEASURE] [--quick] [--out FILE]: what a task costs over the bare computation.
//
//   dnn_single/lenet5, dnn_single/alexnet   images per CPU second of one worker's task (chunks,
//       orders, momentum, merge) over those of a bare libtorch loop. Target: at least 0.97.
//
// Exits with 1 where the two sides do not reach about the same loss: then the figures mean nothing.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/posix/cpu.h"
#include "dnn_single.h"
#include "environment.h"

namespace {

using namespace surety;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return (*high - *low) / median(values);
}

// Different roundings and dropout masks, the same learning: within a quarter, or both next to zero.
bool about_equal(double a, double b) { return std::abs(a - b) <= 0.25 * std::max(a, b) + 0.02; }

bool verify(const bench::DnnSingle& measured) {
  if (about_equal(measured.task_loss, measured.bare_loss)) return true;
  fmt::print(stderr, "losses differ: {:.4f} by the task, {:.4f} by the bare loop\n",
             measured.task_loss, measured.bare_loss);
  return false;
}

nlohmann::json row_of(const std::string& measure, const bench::DnnSingle& measured) {
  const double ours = median(measured.task_images_per_s);
  const double bare = median(measured.bare_images_per_s);
  fmt::print("{:<20} {:>10.0f} {:>12.0f} {:>8.3f} {:>8.2f} {:>12.4f} {:>10.4f}\n", measure, ours,
             bare, ours / bare, spread(measured.task_images_per_s), measured.task_loss,
             measured.bare_loss);
  return {{"measure", measure},
          {"unit", "images per CPU second"},
          {"ours", ours},
          {"peers", {{"bare libtorch loop", bare}}},
          {"ratio", ours / bare},
          {"runs", measured.task_images_per_s.size()},
          {"spread", spread(measured.task_images_per_s)}};
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  CLI::App app("What a task costs over the bare computation");
  std::string only;
  std::string out;
  bool quick = false;
  app.add_option("--only", only, "Only measures that begin with this");
  app.add_option("--out", out, "Write the results there, as JSON");
  app.add_flag("--quick", quick, "Toy size: shows that it runs, measures nothing");
  CLI11_PARSE(app, argc, argv);

  nlohmann::json results = nlohmann::json::array();
  bool verified = true;
  fmt::print("{:<20} {:>10} {:>12} {:>8} {:>8} {:>12} {:>10}\n", "images per CPU s", "task",
             "bare loop", "ratio", "spread", "loss: task", "bare loop");
  for (const std::string model : {"lenet5", "alexnet"}) {
    const std::string measure = "dnn_single/" + model;
    if (!measure.starts_with(only)) continue;
    bench::DnnSingleOptions options{.model = model};
    if (quick) {
      options.images = 512;
      options.repeats = 1;
    }
    const auto measured = bench::measure_dnn_single(options);
    if (!measured) return fmt::print(stderr, "{}: {}\n", measure, measured.error().message), 1;
    verified &= quick || verify(*measured);
    results.push_back(row_of(measure, *measured));
  }
  if (!out.empty()) {
    std::ofstream file(out);
    file << nlohmann::json{{"machine", posix::host_name()}, {"results", results}}.dump(2) << '\n';
    if (!file.flush()) return fmt::print(stderr, "cannot write {}\n", out), 1;
  }
  return verified ? 0 : 1;
}
