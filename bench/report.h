// The output of all benchmarks: a table for people and JSON for programs.
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
  std::string only;    // Runs only measures that begin with this.
  std::string out;     // File for the JSON; empty means none.
  bool quick = false;  // Toy size: shows that the benchmark runs, but its figures have no meaning.

  [[nodiscard]] bool wants(std::string_view measure) const { return measure.starts_with(only); }
};

// Parses --only MEASURE, --out FILE, --quick, and the options that `more` adds. For anything else,
// and for --help, prints a message and exits.
[[nodiscard]] Options parse_options(const char* purpose, int argc, char** argv,
                                    const std::function<void(CLI::App&)>& more = {});

// The results of a measure: one value for each run, in the measure's unit.
struct Row {
  std::string measure;
  std::string unit;
  std::vector<double> ours;  // There is at least one value.
  // Values by the peer's name, at least one for each.
  std::map<std::string, std::vector<double>> peers;
  bool higher_is_better = true;
};

// Returns the upper one of the middle two if the number of values is even.
// REQUIRES: `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

// (largest - smallest) / median, which shows how reliable a figure is.
[[nodiscard]] double spread(const std::vector<double>& values);

// The factor by which our median is better than that of the best peer; 1 without peers.
[[nodiscard]] double ratio_of(const Row& row);

class Report {
 public:
  // Prints the row, and the table's head before the first one.
  void add(Row row);

  // Writes the JSON to options.out, if that is set. On failure prints why and returns false.
  [[nodiscard]] bool write(const Options& options) const;

 private:
  std::vector<Row> rows_;
};

}  // namespace surety::bench
