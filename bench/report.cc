#include "bench/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"

namespace surety::bench {
namespace {

constexpr const char* kTableFormat = "{:<20} {:<22} {:>10} {:>8} {:>7} {:>5}  {}\n";

nlohmann::json json_of(const Row& row) {
  nlohmann::json peers = nlohmann::json::object();
  for (const auto& [name, values] : row.peers) peers[name] = median(values);
  return {{"measure", row.measure},    {"unit", row.unit},       {"ours", median(row.ours)},
          {"peers", std::move(peers)}, {"ratio", ratio_of(row)}, {"runs", row.ours.size()},
          {"spread", spread(row.ours)}};
}

void print(const Row& row) {
  std::string peers;
  for (const auto& [name, values] : row.peers) {
    peers += fmt::format("{}{}: {:.4g}", peers.empty() ? "" : ", ", name, median(values));
  }
  fmt::print(kTableFormat, row.measure, row.unit, fmt::format("{:.4g}", median(row.ours)),
             fmt::format("{:.3f}", ratio_of(row)), fmt::format("{:.2f}", spread(row.ours)),
             row.ours.size(), peers.empty() ? "-" : peers);
}

}  // namespace

Options parse_options(const char* purpose, int argc, char** argv,
                      const std::function<void(CLI::App&)>& more) {
  Options options;
  CLI::App app(purpose);
  app.add_option("--only", options.only, "Only measures that begin with this");
  app.add_option("--out", options.out, "Write the results there, as JSON");
  app.add_flag("--quick", options.quick,
               "Toy size: shows that the benchmark runs, but measures nothing");
  if (more) more(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

double median(std::vector<double> values) {
  SURETY_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double spread(const std::vector<double>& values) {
  SURETY_CHECK(!values.empty());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? 0 : (*high - *low) / median(values);
}

double ratio_of(const Row& row) {
  double worst = 0;
  bool first = true;
  for (const auto& [name, values] : row.peers) {
    const double times = row.higher_is_better ? median(row.ours) / median(values)
                                              : median(values) / median(row.ours);
    worst = first ? times : std::min(worst, times);
    first = false;
  }
  return first ? 1.0 : worst;
}

void Report::add(Row row) {
  if (rows_.empty()) {
    fmt::print(kTableFormat, "measure", "unit", "ours", "ratio", "spread", "runs", "peers");
  }
  print(row);
  rows_.push_back(std::move(row));
}

bool Report::write(const Options& options) const {
  if (options.out.empty()) return true;
  nlohmann::json results = nlohmann::json::array();
  for (const Row& row : rows_) results.push_back(json_of(row));
  const nlohmann::json all = {{"machine", posix::host_name()}, {"results", std::move(results)}};
  const auto written = posix::write_file_atomically(options.out, all.dump(2) + "\n");
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written.has_value();
}

}  // namespace surety::bench
