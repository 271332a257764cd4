// bench_elastic_real [--data FOLDER] [--only MEASURE] [--quick] [--out FILE]: measures elastic
// training with real processes on this machine. The measures are described in measures.h. Exits
// with 1 if a result is wrong: then the figures are meaningless.
#include <CLI/CLI.hpp>

#include "measures.h"
#include "paced_node.h"

int main(int argc, char** argv) {
  using namespace surety::bench;
  if (is_paced_node(argc, argv)) return run_paced_node(argc, argv);
  std::string data;
  const Options options =
      parse_options("Elastic training on real processes", argc, argv, [&](CLI::App& app) {
        app.add_option(
            "--data", data,
            "Folder with a9a.gz and MNIST; without it, only measures that need no files");
      });
  Report report;
  bool verified = measure_disturbances(options, report);
  verified = measure_scaling(options, report) && verified;
  if (!data.empty()) {
    // An absolute path, because each job runs in its own folder.
    data = std::filesystem::absolute(data);
    verified = measure_a9a(options, data, report) && verified;
  }
  if (options.quick || !data.empty()) {
    verified = measure_one_slow(options, data, report) && verified;
  }
  return report.write(options) && verified ? 0 : 1;
}
