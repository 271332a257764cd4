// Local SGD in one process, as in a job: the workers of one run, one after the other, and the model
// that they share.
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

// InvalidInput if files are missing or hold too few images.
[[nodiscard]] Result<Images> load_images(const JitterCase& spec, const std::string& folder);

class Cluster {
 public:
  // Both arguments must outlive this object.
  Cluster(const JitterCase& spec, const Images& images);

  // Begins with an untrained model. The seed determines the initial model and the order of samples.
  Result<void> begin(std::uint32_t seed);
  Result<void> train_pass(std::uint32_t pass);
  Result<void> switch_version(const std::string& version);
  // Makes an iteration of one batch with steps of length 0. This changes the model only if the
  // worker's work begins with a compensation.
  Result<void> take_no_step(std::uint32_t pass);
  // Mean validation loss.
  Result<double> loss(const learn::Model& model);

  [[nodiscard]] const learn::Model& model() const { return model_; }
  // Continues from another model; the local momentum stays.
  void continue_from(learn::Model model) { model_ = std::move(model); }

 private:
  // Adds the average of what the workers learn from up to `samples` of their items each. Returns
  // the number of samples; 0 if none are left.
  Result<std::uint64_t> iterate(std::uint32_t pass, double rate, std::uint32_t samples,
                                std::vector<std::vector<learn::WorkItem>>& left);
  [[nodiscard]] std::vector<std::vector<learn::WorkItem>> items_of_pass() const;

  const JitterCase& spec_;
  const Images& images_;
  std::vector<std::map<ChunkId, data::Chunk>> chunks_;  // Chunks of each worker.
  std::vector<std::unique_ptr<learn::Task>> tasks_;
  learn::Model model_;
  std::uint64_t samples_ = 0;    // Samples of the run so far.
  std::uint64_t iteration_ = 0;  // Iterations of the run so far.
};

}  // namespace surety::bench
