// A job as the user wrote it, checked and with all defaults filled in (job_file.h reads it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "elastic/policy/policies.h"
#include "plan/promise.h"

namespace surety::job {

struct DataSpec {
  std::string name;    // The default is data-1, data-2, and so on.
  std::string source;  // URL (data/url.h); data.root is already applied to a relative path.
  std::optional<std::string> site;  // The place of the data; none means anywhere.
  double price = 0;                 // Price of using the data set, paid once.
};

struct ModelSpec {
  std::string zoo;                            // logistic, svm, lasso, mlp, lenet5, ...
  std::vector<std::string> versions{"full"};  // "full" first, then "prune:F" with F in (0, 1).
  // Memory that a node needs for a version. Filled in after the data was read; empty if not known.
  std::map<std::string, std::uint64_t> memory_bytes;
  // Multiplications of a version for one sample. Filled in like memory_bytes.
  std::map<std::string, std::uint64_t> multiply_adds;
};

enum class Solver : std::uint8_t { kLocalSgd, kCocoa };

// How CoCoA adds up the updates of its workers (learn/linear/glm_line_search.h).
enum class Aggregation : std::uint8_t { kSafe, kAccelerated };

// How much workers wait for each other. On the wire and in the scheduler
// (fabric/scheduler/quorum.h) the modes have the same numbers.
enum class TrainMode : std::uint8_t { kAsync, kBoundedStaleness, kBatch, kSync };

// It says when workers exchange what they learned (fabric/scheduler/quorum.h). In kSync all
// exchange at once, at the end of each iteration.
struct ModeSpec {
  TrainMode mode = TrainMode::kSync;
  // kBatch: updates that make a new model; absent: a third of the workers, at least 2.
  std::optional<std::uint32_t> quorum;
  std::uint32_t ahead = 2;  // kBoundedStaleness: lead over the slowest worker, in updates.
  // Older updates are dropped, counted in model versions; absent: no limit.
  std::optional<std::uint64_t> staleness_max{};
  bool overlap = true;                    // A worker computes while its update is being sent.
  std::optional<double> update_weight{};  // Weight of an update in the model; absent: 1 / workers.
  std::uint32_t updates = 16;             // Updates of each worker in one asynchronous iteration.
};

struct TrainSpec {
  Solver solver = Solver::kLocalSgd;  // The default depends on the model: cocoa for GLMs.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;
  double learning_rate = 0.01;
  bool learning_rate_auto = false;  // Try learning_rate first, then other rates as well.
  double momentum = 0.9;
  double weight_decay = 0;
  double outer_momentum = 0;  // Local SGD: momentum of the averaged updates.
  // Local SGD: factor for the averaged updates. Default 0.7 if there is outer_momentum.
  double outer_learning_rate = 1;
  std::optional<double> lambda{};  // GLM: weight of the penalty; absent: 1 / samples.
  // GLM: share of the L1 norm in the penalty. The default depends on the model.
  double l1_ratio = 0;
  Aggregation aggregation = Aggregation::kAccelerated;  // Only linear models use it.
  std::uint32_t tasks_per_node = 1;            // GLM: more than 1 is meant as a baseline only.
  std::optional<std::uint32_t> micro_tasks{};  // GLM: tasks of a baseline.
  elastic::OnResize on_resize = elastic::OnResize::kKeepBatch;  // Local SGD only.
  ModeSpec mode{};
  // Local SGD: the largest time constant, in passes, of the average of models that is evaluated and
  // kept. Absent: the last model is evaluated and kept.
  std::optional<double> average_passes = 2;
  std::uint64_t seed = 1;
  // A run stops after this number of passes, even if it has not met its target.
  std::uint32_t passes_max = 200;
  std::uint64_t chunk_bytes = 1 << 20;
  elastic::Policies policies;  // The default of shuffle depends on the solver: on with cocoa.
};

inline constexpr std::uint32_t kProfileSeedsMin = 2;  // A single run says nothing about variance.

struct ProfileSpec {
  std::uint32_t seeds = kProfileSeedsMin;
  std::uint32_t passes = 4;
  std::vector<double> data_fractions{1.0};
  // Worker counts to measure at; the plan chooses among them. Empty means all workers.
  std::vector<std::uint32_t> workers;
  bool library = true;  // Learn from earlier jobs, and let later jobs learn from this one.
};

// Workers of one kind: where they come from, what they cost, how fast and how reliable they are.
struct NodeTypeSpec {
  std::string name = "local";
  std::uint32_t local = 0;          // Worker processes of this type that may run on this machine.
  std::uint32_t join = 0;           // Workers of this type that may join from elsewhere.
  double price_per_s = 1.0 / 3600;  // Price of one worker, in the user's money unit.
  double speed = 1;                 // Speed relative to the first type.
  double preemptions_per_s = 0;     // Preemptions of one worker per second.
  double restart_s = 10;            // Seconds that a preemption costs the current pass.
  double start_s = 0;               // Seconds from the request for a worker to its first work.
  std::optional<std::uint64_t> memory_bytes{};  // Memory of a node; absent: enough.
};

// Workers in a Slurm allocation, one on each of its nodes.
struct SlurmSpec {
  double poll_interval_s = 10;  // Seconds between two polls of the allocation's node list.
  // Maximum time from SIGTERM until the worker leaves, in seconds. Slurm kills the worker after
  // KillWait, 30 s by default.
  double notice_s = 25;
};

struct ClusterSpec {
  // The list is not empty, and each name occurs once. Profiles are made on the first type. Without
  // `cluster.nodes` there is one type, "local", which any worker may join.
  std::vector<NodeTypeSpec> nodes{NodeTypeSpec{}};
  // Training starts with at least this many workers, and waits while there are fewer.
  std::uint32_t workers_min = 1;
  // HOST:PORT at which workers from elsewhere are expected to join. If absent, only this user's
  // processes on this machine may; with slurm, the nodes of the allocation may, too.
  std::optional<std::string> listen{};
  // How long started workers keep their state after they lose their coordinator, in seconds.
  double wait_s = 180;
  std::optional<std::string> spill;  // Folder where started workers keep samples; else in memory.
  // With slurm there is one node type, "slurm". Its `local` is the number of nodes of the
  // allocation, which is 0 until fit_to_allocation() (runtime/slurm/slurm.h).
  std::optional<SlurmSpec> slurm{};

  // Returns the first type for an empty name, and null for an unknown one.
  [[nodiscard]] const NodeTypeSpec* find(std::string_view type) const;
  // Worker processes of all types together that may run on this machine.
  [[nodiscard]] std::uint32_t local() const;
  // The job has one worker on this machine from start to end: no other is started, none may join,
  // and preemption is not expected.
  [[nodiscard]] bool one_worker() const;
  // Threads of each worker process on a machine with that number of cores: the cores divided by the
  // largest number of workers of one type. This number stays the same while there are fewer
  // workers, so that a worker is as fast as during profiling. ENSURES: at least 1.
  [[nodiscard]] std::uint32_t threads_of_each(std::uint32_t cores) const;
};

// Which coordinator takes over a run whose coordinator is lost.
struct CoordinatorSpec {
  // A standby may take over, elected through etcd; else the user resumes with --resume.
  bool standby = false;
  std::vector<std::string> etcd{"127.0.0.1:2379"};  // Addresses HOST:PORT of the etcd members.
  // Files in PEM for TLS with the etcd: absolute paths, all three or none.
  std::optional<std::string> etcd_ca{};
  std::optional<std::string> etcd_cert{};
  std::optional<std::string> etcd_key{};
  double lease_s = 2;  // Time without renewal after which the coordinator's lease ends, in seconds.
};

// Which of the workers' values are checked.
struct TrustSpec {
  // Whether a new process measures the certified model again before the run ends.
  bool measure_again = true;
};

// Other parties that see the signed journal of a run.
struct RecordSpec {
  std::vector<std::string> witnesses{};  // URLs that are asked at intervals.
};

struct Job {
  std::string name;
  plan::Promise promise;  // Its deadline_s counts from now if it was given as a duration.
  std::optional<double> deadline_unix_s;  // Set if the deadline was given as a point in time.
  bool best_effort = false;               // Continue to train after a refusal of the promise.
  std::vector<DataSpec> data;
  // URL of validation data. Without it, the seed chooses a fifth of the data.
  std::optional<std::string> validation{};
  ModelSpec model;
  TrainSpec train;
  ProfileSpec profile;
  ClusterSpec cluster;
  CoordinatorSpec coordinator{};
  RecordSpec record{};
  TrustSpec trust{};
  std::string text;  // The job file with --set applied, for the run folder.
};

// Whether `surety run` trains with a pool. Data sets that may be dropped need a plan and a profile
// that measured fractions of the data instead.
[[nodiscard]] bool has_pool(const Job& job);

}  // namespace surety::job
