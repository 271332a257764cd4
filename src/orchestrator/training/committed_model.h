// The model of a session: which one is committed, and which workers hold it.
//
// At first there is none. The first Prepare makes it, and from then on it exists. A model is
// committed only if all workers that answer hold the same bytes. iteration() only grows. With
// CoCoA the model is the sum of a part for each sample; when a part is lost, the sum must be
// computed again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/version.h"
#include "orchestrator/session/barrier.h"
#include "orchestrator/session/saved_model.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// Numbers of values of a model.
struct ModelSizes {
  std::uint64_t parameters = 0;
  std::uint64_t parent = 0;
  std::optional<std::uint64_t> average{};  // There is none before the first average.

  bool operator==(const ModelSizes&) const = default;
};

// The sizes of the model that the worker has made; none if the answer does not contain them.
[[nodiscard]] std::optional<ModelSizes> sizes_of(const proto::FromWorker& answer);

class CommittedModel {
 public:
  // `version` is that of the model with which the session begins.
  explicit CommittedModel(std::string version) : version_(std::move(version)) {}

  [[nodiscard]] bool exists() const { return exists_; }
  [[nodiscard]] std::uint64_t iteration() const { return iteration_; }
  // The checksum on which the workers have agreed. REQUIRES: agree() has succeeded.
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // Whether channels may have been removed since the last iteration.
  [[nodiscard]] bool may_be_cut() const {
    return !has_learned_as_version_ && !model::is_full(version_);
  }
  // Returns those of these workers that hold the model, in the same order.
  [[nodiscard]] std::vector<WorkerId> holders(const std::vector<WorkerId>& workers) const;

  // All must hold the same bytes, and after a Prepare the committed ones; otherwise one of them has
  // faulty memory, a faulty network or a faulty library. It is not known which one is right, so the
  // error is Unavailable, and the model must not be committed. Otherwise their model's checksum is
  // the one to commit. REQUIRES: the answers are to a Prepare, a Step or a Switch, and there is
  // one.
  [[nodiscard]] Result<void> agree(const Answers& answers);

  // The worker has the model now. REQUIRES: agree() has succeeded for the answers to this Prepare.
  void hand_to(WorkerId worker) { holders_.insert(worker); }
  // The model exists from now on. REQUIRES: agree() has succeeded for the answers to this Prepare.
  void begin(const ModelSizes& sizes);
  // Commits the next iteration. `averages`: from now on there is an average of models. REQUIRES:
  // agree() has succeeded for the answers to this Step.
  void commit_step(bool averages);
  // The sum was computed again. REQUIRES: agree() has succeeded for the answers to this Step.
  void commit_sum();
  // The model has this version now. REQUIRES: agree() has succeeded for the answers to this Switch.
  void commit_switch(std::string version, const ModelSizes& sizes);

  void forget(WorkerId worker) { holders_.erase(worker); }
  // A part of the sum was lost. This is ignored if there is no sum yet.
  void lose_part() { needs_sum_ = needs_sum_ || exists_; }
  [[nodiscard]] bool needs_sum() const { return needs_sum_; }

  // The metric was measured on this model.
  void note_measured() { measured_ = checksum_; }
  // Whether the last measured metric belongs to another model than the committed one.
  [[nodiscard]] bool is_metric_stale() const { return measured_ && *measured_ != checksum_; }

  // The source of the model for each of these workers: `saved` (or a new model from the seed if
  // there is none), its own memory, or the holders among them.
  [[nodiscard]] proto::ModelSource source(const std::vector<WorkerId>& workers,
                                          const std::optional<SavedModel>& saved,
                                          bool has_velocity) const;

 private:
  bool exists_ = false;
  std::uint64_t iteration_ = 0;
  std::uint64_t checksum_ = 0;
  std::string version_;
  bool has_learned_as_version_ = false;  // An iteration with this version was committed.
  ModelSizes sizes_;
  std::set<WorkerId> holders_;
  bool needs_sum_ = false;
  std::optional<std::uint64_t> measured_;  // Checksum of the model that was measured last.
};

}  // namespace surety::orchestrator
