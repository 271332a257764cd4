// The user's promise, and the resources to keep it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace surety::plan {

enum class Metric : std::uint8_t { kValidationLoss, kAccuracy, kDualityGap };

struct Promise {
  Metric metric = Metric::kValidationLoss;
  double target = 0;          // Upper limit for loss and gap, lower limit for accuracy.
  double probability = 0.95;  // Probability to reach the target by the deadline; in (0, 1).
  double confidence = 0.9;    // Confidence in that probability, given a finite profile; in (0, 1).
  double deadline_s = 0;      // Time to the deadline; in planning, the time that is left.
  std::optional<double> budget;
};

// The parts of the time to the deadline and of the budget that are not planned for training.
struct Reserved {
  double seconds = 0;
  double cost = 0;
};

struct DataSet {
  std::string name;
  std::optional<std::string> site;  // The place of the data; none means anywhere.
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  double price = 0;                              // Paid once for the data set.
  std::map<int, std::uint64_t> label_histogram;  // Samples of each label; may be empty.
};

struct NodeType {
  std::string name;         // "local", "spot", "edge", ...
  std::uint32_t count = 0;  // Number of available nodes.
  double price_per_s = 0;   // Price of one node.
  double speed_factor = 1;  // Relative to the profiled nodes.
  // Preemptions of one node per second, and the seconds that one preemption costs the current pass.
  double preemptions_per_s = 0;
  double restart_s = 0;
  double straggle_sd = 0;  // Standard deviation of log(speed) from pass to pass.
  double start_s = 0;      // Time from requesting a node to its first work.
  // If absent, the memory is assumed to be sufficient.
  std::optional<std::uint64_t> memory_bytes{};
  // First and last time at which it is available, since training began. No last time means that it
  // stays available.
  double from_s = 0;
  std::optional<double> until_s{};
};

struct Instance {
  Promise promise;
  std::vector<DataSet> data;
  std::vector<std::string> versions;  // The profiled versions, the full one first.
  // Memory that a node needs for a version; entries are optional.
  std::map<std::string, std::uint64_t> memory_bytes;
  std::vector<NodeType> nodes;
  // After so many passes in all, a run stops and certifies its best checkpoint.
  std::uint32_t passes_max = 400;
};

}  // namespace surety::plan
