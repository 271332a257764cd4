// A job as the user wrote it, checked and with every default filled in (job_file.h reads it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "elastic/policies.h"
#include "fabric/core/quorum.h"
#include "plan/promise.h"

namespace surety::orchestrator {

struct DataSpec {
  std::string name;    // Default: data-1, data-2, ...
  std::string source;  // URL (data/reader.h), with data.root applied to a relative path.
  std::string site;
  double price = 0;  // One-off.
};

struct ModelSpec {
  std::string zoo;                            // logistic, svm, lasso, mlp, lenet5, ...
  std::vector<std::string> versions{"full"};  // full first; prune:F with F in (0, 1).
  // That a node needs for a version; filled in by who has seen the data, empty where nobody knows.
  std::map<std::string, std::uint64_t> memory_bytes;
  // Multiplications of a version for one sample; filled in likewise.
  std::map<std::string, std::uint64_t> multiply_adds;
};

enum class Solver : std::uint8_t { kLocalSgd, kCocoa };

// How CoCoA adds up the updates of its workers (learn/glm_line_search.h).
enum class Aggregation : std::uint8_t { kSafe, kAccelerated };

// When workers hear of one another (fabric/core/quorum.h); kSync: once an iteration, all at once.
struct ModeSpec {
  fabric::TrainMode mode = fabric::TrainMode::kSync;
  std::uint32_t quorum = 0;         // kBatch: updates that make a new model; 0: a third of them.
  std::uint32_t ahead = 2;          // kBoundedStaleness: of the slowest worker, in updates.
  std::uint64_t staleness_max = 0;  // Versions; older updates are dropped. 0: none are.
  bool overlap = true;              // Learns on while an update is on its way.
  double update_weight = 0;         // 0: by mode.
  std::uint32_t updates = 16;       // Of each worker between two models that all have.
};

struct TrainSpec {
  Solver solver = Solver::kLocalSgd;  // Default by model: GLMs use cocoa.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;
  double learning_rate = 0.01;
  bool learning_rate_auto = false;  // That one is tried first, and others as well.
  double momentum = 0.9;
  double weight_decay = 0;
  double outer_momentum = 0;       // Local SGD: of the averaged updates; 0: off.
  double outer_learning_rate = 1;  // What they are scaled by. Default with outer_momentum: 0.7.
  double lambda = 0;               // GLM: 0 means 1 / samples.
  double l1_ratio = 0;             // GLM: share of the L1 norm in the penalty. Default by model.
  Aggregation aggregation = Aggregation::kAccelerated;          // GLM.
  std::uint32_t tasks_per_node = 1;                             // GLM: above 1 as a baseline only.
  std::uint32_t micro_tasks = 0;                                // GLM: a baseline; 0: none.
  elastic::OnResize on_resize = elastic::OnResize::kKeepBatch;  // Local SGD.
  ModeSpec mode{};                                              // Local SGD.
  // Local SGD: the largest time constant of the average of models that is evaluated and kept; 0:
  // the last model is.
  double average_passes = 2;
  std::uint64_t seed = 1;
  std::uint32_t passes_max = 200;  // A run that has not met its target by then stops.
  std::uint64_t chunk_bytes = 1 << 20;
  elastic::Policies policies;  // Default of shuffle by solver: on with cocoa.
};

inline constexpr std::uint32_t kProfileSeedsMin = 2;  // One run says nothing about chance.

struct ProfileSpec {
  std::uint32_t seeds = kProfileSeedsMin;
  std::uint32_t passes = 4;
  std::vector<double> data_fractions{1.0};
  std::vector<std::uint32_t> workers;  // Worker counts to measure at: the plan chooses among them.
                                       // Empty: all workers.
  bool library = true;  // Learn from earlier jobs, and let later ones learn from this one.
};

// Workers of one kind: where they come from, what they cost, how fast and how faithful they are.
struct NodeTypeSpec {
  std::string name = "local";
  std::uint32_t local = 0;          // Worker processes of it that may run on this machine.
  std::uint32_t join = 0;           // That others may bring.
  double price_per_s = 1.0 / 3600;  // Of each, in the user's money unit.
  double speed = 1;                 // Relative to the first type.
  double preemptions_per_s = 0;     // How often one is taken away, and
  double restart_s = 10;            // what that costs the pass in hand.
  double start_s = 0;               // From asking for one to its first work.
  std::uint64_t memory_bytes = 0;   // 0: enough.
};

// Workers in a Slurm allocation, one on each of its nodes.
struct SlurmSpec {
  double look_s = 10;    // Between two looks at which nodes the allocation has.
  double notice_s = 25;  // From SIGTERM to leaving in any case; Slurm kills after KillWait, 30 s.
};

struct ClusterSpec {
  // Not empty, no name twice. Profiles are made on the first type. Without `cluster.nodes` there is
  // one, "local", which anybody may join.
  std::vector<NodeTypeSpec> nodes{NodeTypeSpec{}};
  std::uint32_t workers_min = 1;       // Training starts with these many, and waits below them.
  std::string listen = "127.0.0.1:0";  // Empty with slurm: where its nodes reach this machine.
  bool invites = false;                // cluster.listen is written: others are expected to join.
  double wait_s = 180;  // Started workers whose coordinator is lost keep what they hold so long.
  std::string spill;    // Folder where started workers keep samples; empty: in memory.
  // There is one node type then, "slurm", and its `local` is what the allocation has: 0 until
  // somebody has looked.
  std::optional<SlurmSpec> slurm{};

  // The first type where the name is empty; null where no type has it.
  [[nodiscard]] const NodeTypeSpec* find(std::string_view type) const;
  // Worker processes that may run on this machine: of all types together.
  [[nodiscard]] std::uint32_t local() const;
  // There is one worker, on this machine, from beginning to end: no other is started, nobody is
  // invited, and it is not expected to be taken away.
  [[nodiscard]] bool one_worker() const;
};

// Who takes over a run whose coordinator is lost.
struct CoordinatorSpec {
  bool standby = false;  // Another coordinator may, elected over etcd; else whoever says --resume.
  std::vector<std::string> etcd{"127.0.0.1:2379"};  // HOST:PORT of its members.
  double lease_s = 2;                               // How long a coordinator may be unheard.
};

struct Job {
  std::string name;
  plan::Promise promise;                  // deadline_s: from now, where it was given as a duration.
  std::optional<double> deadline_unix_s;  // Where it was given as a point in time.
  bool best_effort = false;               // Train on where the promise is refused.
  std::vector<DataSpec> data;
  std::string validation;  // URL; empty: a fifth of the data, held out by seed.
  ModelSpec model;
  TrainSpec train;
  ProfileSpec profile;
  ClusterSpec cluster;
  CoordinatorSpec coordinator{};
  std::string text;  // The file with --set applied, for the run folder.
};

}  // namespace surety::orchestrator
