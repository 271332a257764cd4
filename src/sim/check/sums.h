// Checks that a worker adds to the sum of a synchronous iteration exactly the change that its task
// has learned since the last commit, and that it reports exactly the samples that were learned
// from. Also checks that learned work is not discarded if the same work is requested again, in
// synchronous or asynchronous iterations: no sample of it is learned twice.
//
// It records what the tasks of all processes return, and compares it with what the workers send.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/check/check.h"

namespace surety::sim {

class Sums final : public Check {
 public:
  // The process makes a new task, which has learned nothing.
  void on_task(std::uint32_t process) { records_[process] = {}; }
  // The work that the task had learned is committed or discarded.
  void on_commit(std::uint32_t process) { records_[process] = {}; }
  void on_discard(std::uint32_t process);
  // The task has learned this change of the model from this number of samples.
  void on_learned(std::uint32_t process, bool asynchronous, std::uint64_t samples,
                  std::span<const float> update);
  // The process begins the work of a step.
  void on_work(std::uint32_t process, const proto::Step& order);
  // The process adds these values to the sum: those of the model, and then the share of its samples
  // that is missing.
  void on_joined(std::uint32_t process, const proto::Step& order, std::span<const float> values);
  void on_reported(std::uint32_t process, const proto::StepDone& done);

 private:
  struct Work {
    std::uint64_t iteration = 0;
    std::vector<std::uint64_t> items;  // Chunk, first sample and count of each.
    bool operator==(const Work&) const = default;
  };
  struct Record {
    std::uint64_t samples = 0;
    std::vector<double> update;
    // Whether updates of other workers arrived meanwhile, so that its learned work is not a plain
    // sum any more.
    bool is_mixed = false;
    bool is_added = false;      // It was added to a sum, and is to be reported.
    std::optional<Work> work;   // The work that was learned from.
    std::uint64_t of_work = 0;  // Samples of `work` that were learned.
    // The samples of `work`, if each may be learned only once.
    std::optional<std::uint64_t> of_work_most;
    std::optional<Work> dropped;  // Work of which a part was learned, and then discarded.
  };
  static Work work_of(const proto::Step& order);

  std::map<std::uint32_t, Record> records_;  // The key is the number of the process.
};

}  // namespace surety::sim
