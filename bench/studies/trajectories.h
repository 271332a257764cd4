// The losses along paths. Each is trained once and then kept in a file (recording.h).
//
// Planners' runs of one seed share prefixes, and a study may be killed and continued. So every
// point that was ever measured is kept. With the file, the whole study can be repeated without
// training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/posix/append_file.h"
#include "base/posix/file_lock.h"
#include "base/result.h"
#include "bench/studies/path.h"
#include "bench/studies/recording.h"
#include "bench/studies/study.h"
#include "bench/studies/trainer.h"

namespace surety::bench {

class Trajectories {
 public:
  // Called when the first missing point is needed. Returns an error if there are no data to train
  // on.
  using MakeTrainer = std::function<Result<std::unique_ptr<Trainer>>()>;

  // Reads the file, if there is one, and changes nothing. A line that was cut off is ignored.
  // InvalidInput if the file is malformed, or of another study; the message names the difference.
  [[nodiscard]] static Result<Trajectories> open(const Study& study,
                                                 const std::filesystem::path& file,
                                                 MakeTrainer make_trainer);

  [[nodiscard]] bool has(std::uint32_t seed, const Path& path) const {
    return points_.contains({seed, path.text()});
  }

  // The point on the deciding and certifying halves of the seed. Trains missing points, and appends
  // them to the file.
  //
  // The first call that trains locks the file for this process: Unavailable if another process has
  // it, InvalidInput if the file is of other data or of the older layout.
  //
  // Models are kept until the seed changes or forget_models() is called. Models that are needed
  // again after that are trained again.
  [[nodiscard]] Result<Point> at(std::uint32_t seed, const Path& path);
  void forget_models() { models_.clear(); }

  // Points that this process has trained.
  [[nodiscard]] std::size_t trained() const { return trained_; }

 private:
  using Key = std::pair<std::uint32_t, std::string>;

  Trajectories(const Study& study, std::filesystem::path file, MakeTrainer make_trainer)
      : study_(study), file_(std::move(file)), make_trainer_(std::move(make_trainer)) {}
  [[nodiscard]] Result<void> read();
  [[nodiscard]] Result<void> begin_training();
  [[nodiscard]] Result<const learn::Model*> model_at(std::uint32_t seed, const Path& path);
  [[nodiscard]] Result<learn::Model> advance(std::uint32_t seed, const Path& path);
  [[nodiscard]] Result<void> remember(const Measured& measured);

  Study study_;
  std::filesystem::path file_;
  MakeTrainer make_trainer_;
  std::map<Key, Point> points_;  // Points by seed and path; read() and remember() add them.
  bool is_older_ = false;        // Whether the file has the older layout.
  Provenance provenance_;        // Provenance of the file, or of the study if there is no file.
  std::uint64_t length_ = 0;     // Length of the file without a line that was cut off.

  std::unique_ptr<Trainer> trainer_;  // Null until a point is missing, like the next two members.
  std::optional<posix::FileLock> lock_;
  std::optional<posix::AppendFile> append_;
  std::uint32_t seed_ = 0;                      // Seed of models_.
  std::map<std::string, learn::Model> models_;  // Models by path; cleared when the seed changes.
  std::size_t trained_ = 0;
};

}  // namespace surety::bench
