// What every benchmark does with its figures: a table for people, JSON for programs.
//
//   {"machine": NAME, "results": [{"measure", "unit", "ours", "peers", "ratio", "runs", "spread"}]}
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace surety::bench {

struct Options {
  std::string only;    // Only measures that begin with this.
  std::string out;     // Where the JSON goes; empty: nowhere.
  bool quick = false;  // Toy size: shows that it runs, measures nothing.

  [[nodiscard]] bool wants(std::string_view measure) const { return measure.starts_with(only); }
};

// --only MEASURE, --out FILE, --quick, and what `more` adds; for anything else, and for --help, it
// says so and exits.
[[nodiscard]] Options parse_options(const char* purpose, int argc, char** argv,
                                    const std::function<void(CLI::App&)>& more = {});

// What was measured, one value per run, in the measure's unit.
struct Row {
  std::string measure;
  std::string unit;
  std::vector<double> ours;                          // At least one.
  std::map<std::string, std::vector<double>> peers;  // By name, each at least one.
  bool higher_is_better = true;
};

// REQUIRES: not empty. Of an even number, the upper one of the middle.
[[nodiscard]] double median(std::vector<double> values);

// (largest - smallest) / median: how far to trust a figure.
[[nodiscard]] double spread(const std::vector<double>& values);

// How many times better our median is than the best peer's; 1 without peers.
[[nodiscard]] double ratio_of(const Row& row);

class Report {
 public:
  // Prints the row, with a head before the first.
  void add(Row row);

  // Writes the JSON, where options.out says so. Returns false, and says why, where that fails.
  [[nodiscard]] bool write(const Options& options) const;

 private:
  std::vector<Row> rows_;
};

}  // namespace surety::bench
