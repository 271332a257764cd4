// The measurements before planning: how each version learns, the costs of switches, and the speeds
// of nodes and links. It is stored in files that a person can read (plan/files/profile_io.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace surety::plan {

// One evaluation of one profile run.
struct CurvePoint {
  std::string version;
  std::uint32_t seed = 0;    // Paired: the same seed means the same initial model and data order.
  double data_fraction = 1;  // Share of the training samples, 0..1.
  std::uint32_t pass = 0;    // Passes over that data so far; 0 is the untrained model.
  double metric = 0;         // Promised metric on the deciding split (accuracy as 1 - accuracy).
  double metric_se = 0;      // Standard error of this evaluation.
  double seconds = 0;        // Duration of this pass, without the evaluation.
  double eval_seconds = 0;
  std::uint32_t workers = 0;  // Workers that took part.
};

// The metric before and after a change of version, and its duration. After channels are restored,
// the loss is high for a moment (ten times the loss before), and the next pass repairs this. So the
// metric that counts is measured after some more training.
struct SwitchPoint {
  std::string from;
  std::string to;
  std::uint32_t seed = 0;
  std::uint32_t pass = 0;  // Passes before the change.
  double metric_before = 0;
  double metric_after = 0;
  double seconds = 0;              // Duration of the change, without the passes.
  std::uint32_t passes_after = 0;  // Passes of `to` before metric_after was measured.
};

struct NodeSpeed {
  std::uint32_t worker = 0;
  std::string type;  // "local", or the type that the worker reported.
  std::string version;
  double samples_per_s = 0;
};

struct LinkRate {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes_per_s = 0;
};

// The start of a run.
struct StartTime {
  double seconds = 0;  // From the command until all workers had joined.
  std::uint32_t workers = 0;
  // From the join of the first worker until the first pass began. Meanwhile nodes are paid for,
  // data are read, and the untrained model is evaluated.
  double paid_seconds = 0;
};

struct Profile {
  std::vector<CurvePoint> curves;
  std::vector<SwitchPoint> switches;
  std::vector<NodeSpeed> nodes;
  std::vector<LinkRate> links;
  std::vector<StartTime> starts;
};

}  // namespace surety::plan
