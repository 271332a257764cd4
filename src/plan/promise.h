// What the user promised, and what there is to keep it with.
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
  double target = 0;          // Loss and gap: at most; accuracy: at least.
  double probability = 0.95;  // Of reaching the target by the deadline; in (0, 1).
  double confidence = 0.9;    // Of that probability, given a finite profile; in (0, 1).
  double deadline_s = 0;      // For planning: what is left of it.
  std::optional<double> budget;
};

struct DataSet {
  std::string name, site;
  std::uint64_t samples = 0, bytes = 0;
  double price = 0;                              // One-off.
  std::map<int, std::uint64_t> label_histogram;  // May be empty.
};

struct NodeType {
  std::string name;         // "local", "spot", "edge", ...
  std::uint32_t count = 0;  // Available.
  double price_per_s = 0;   // Each.
  double speed_factor = 1;  // Relative to the profiled nodes.
  // One node is taken away so often, and what that costs the pass in hand.
  double preemptions_per_s = 0;
  double restart_s = 0;
  double straggle_sd = 0;          // Spread of the logarithm of its speed, from pass to pass.
  double start_s = 0;              // From asking for it to its first work.
  std::uint64_t memory_bytes = 0;  // 0: enough.
  double from_s = 0;               // Available from then
  double until_s = 1e18;           // to then, since training began.
};

struct Instance {
  Promise promise;
  std::vector<DataSet> data;
  std::vector<std::string> versions;                  // The profiled ones, the full one first.
  std::map<std::string, std::uint64_t> memory_bytes;  // That a node needs for a version; may lack.
  std::vector<NodeType> nodes;
};

}  // namespace surety::plan
