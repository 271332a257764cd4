// A job as the user wrote it, checked and with every default filled in (job_file.h reads it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "plan/promise.h"

namespace surety::orchestrator {

struct DataSpec {
  std::string name;    // Default: data-1, data-2, ...
  std::string source;  // URL (data/reader.h), with data.root applied to a relative path.
  std::string site;
  double price = 0;  // One-off.
};

struct ModelSpec {
  std::string zoo;                            // logistic, svm, ridge, mlp, lenet5, ...
  std::vector<std::string> versions{"full"};  // full first; prune:F with F in (0, 1).
};

enum class Solver : std::uint8_t { kLocalSgd, kCocoa };

struct TrainSpec {
  Solver solver = Solver::kLocalSgd;  // Default by model: GLMs use cocoa.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;
  double learning_rate = 0.05;
  double momentum = 0.9;
  double weight_decay = 0;
  double lambda = 0;  // GLM: 0 means 1 / samples.
  std::uint64_t seed = 1;
  std::uint32_t passes_max = 200;  // A run that has not met its target by then stops.
  std::uint64_t chunk_bytes = 1 << 20;
};

struct ProfileSpec {
  std::uint32_t seeds = 3;
  std::uint32_t passes = 4;
  std::vector<double> data_fractions{1.0};
  std::vector<std::uint32_t> workers;  // Worker counts to measure at: the plan chooses among them.
                                       // Empty: all workers.
};

struct ClusterSpec {
  std::uint32_t local = 0;        // Worker processes on this machine.
  std::uint32_t workers_min = 1;  // Training starts with these many, and waits below them.
  std::string listen = "127.0.0.1:0";
  double price_per_s = 1.0 / 3600;  // Of each node, in the user's money unit.
};

struct Job {
  std::string name;
  plan::Promise promise;                  // deadline_s: from now, where it was given as a duration.
  std::optional<double> deadline_unix_s;  // Where it was given as a point in time.
  std::vector<DataSpec> data;
  std::string validation;  // URL; empty: a fifth of the data, held out by seed.
  ModelSpec model;
  TrainSpec train;
  ProfileSpec profile;
  ClusterSpec cluster;
  std::string text;  // The file with --set applied, for the run folder.
};

}  // namespace surety::orchestrator
