// bench_chaos [--seconds S] [--seed N] [--apart] [--plain] [--keep FOLDER]: repeatedly trains a
// linear model with eight real workers, while faults are injected that the seed determines.
// Processes, including the coordinator, are killed, stopped and asked to leave. Links are cut and
// the disk is filled if this machine allows it. Exits with 0 if every run ended with the model of
// an undisturbed one, every sample was visited once a pass, and no durable record was lost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/posix/signals.h"
#include "chaos.h"

int main(int argc, char** argv) {
  using namespace surety;
  CLI::App app("Real faults on real processes");
  bench::ChaosOptions options;
  std::string keep;
  bool apart = false;
  app.add_option("--seconds", options.seconds, "For how long faults are injected")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "The seed that faults are drawn from")
      ->capture_default_str();
  const auto* rows =
      app.add_option(
             "--rows", options.rows,
             fmt::format(
                 "Rows of the data; {} with --apart, whose runs must last for several faults",
                 bench::kRowsApart))
          ->capture_default_str();
  app.add_flag("--apart", apart, "One fault after the other, to see how long recovery takes");
  app.add_flag("--plain", options.plain,
               "Without network namespaces and a small disk, which need root");
  app.add_option("--keep", keep, "Folder that receives the files of a run that failed");
  CLI11_PARSE(app, argc, argv);
  options.keep = keep;
  if (apart) {
    options.timing = bench::FaultTiming::kApart;
    if (rows->empty()) options.rows = bench::kRowsApart;
  }
  posix::count_stop_signals();
  const Result<bool> held = bench::run_chaos(options);
  if (!held) fmt::print(stderr, "error: {}\n", held.error().message);
  return held && *held ? 0 : 1;
}
