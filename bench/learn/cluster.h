// Local SGD in one process, as a job does it: the workers of one run, one after the other, and the
// model that they have in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "jitter.h"
#include "learn/task.h"

namespace surety::bench {

struct Images {
  data::Schema schema;
  std::map<ChunkId, data::Chunk> chunks;
  data::Samples validation;
};

// InvalidInput where files are missing or hold too few images.
[[nodiscard]] Result<Images> load_images(const JitterCase& spec, const std::string& folder);

class Cluster {
 public:
  // Both must outlive this.
  Cluster(const JitterCase& spec, const Images& images);

  // Untrained. A seed is an initial model and an order of samples.
  Result<void> begin(std::uint32_t seed);
  Result<void> train_pass(std::uint32_t pass);
  Result<void> switch_version(const std::string& version);
  // What an iteration of one batch and of steps of length 0 makes of the model: nothing, but where
  // a worker's work begins with a compensation.
  Result<void> take_no_step(std::uint32_t pass);
  // Mean validation loss.
  Result<double> loss(const learn::Model& model);

  [[nodiscard]] const learn::Model& model() const { return model_; }
  // Goes on from another model; the local momentum stays.
  void go_on_from(learn::Model model) { model_ = std::move(model); }

 private:
  // Adds the average of what the workers learn on up to `samples` of their items each. The number
  // of samples; 0 where none are left.
  Result<std::uint64_t> iterate(std::uint32_t pass, double rate, std::uint32_t samples,
                                std::vector<std::vector<learn::WorkItem>>& left);
  [[nodiscard]] std::vector<std::vector<learn::WorkItem>> items_of_pass() const;

  const JitterCase& spec_;
  const Images& images_;
  std::vector<std::map<ChunkId, data::Chunk>> chunks_;  // Of each worker.
  std::vector<std::unique_ptr<learn::Task>> tasks_;
  learn::Model model_;
  std::uint64_t samples_ = 0, iteration_ = 0;  // Of the run so far.
};

}  // namespace surety::bench
