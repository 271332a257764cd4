// The losses along paths, each trained once and then remembered in a file (recording.h).
//
// Planners' runs of one seed share prefixes, and a study is killed and taken up again, so every
// point that was ever measured is kept. With the file the whole study can be repeated without
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

#include "base/posix/file.h"
#include "base/posix/file_lock.h"
#include "base/result.h"
#include "bench/studies/path.h"
#include "bench/studies/recording.h"
#include "bench/studies/study.h"
#include "bench/studies/trainer.h"

namespace surety::bench {

class Trajectories {
 public:
  // Called when the first point is missing; an error where there is nothing to train on.
  using MakeTrainer = std::function<Result<std::unique_ptr<Trainer>>()>;

  // Reads what the file holds, and changes nothing; there may be no file yet. A line that was cut
  // off is left out. InvalidInput where it is malformed, or of another study: it says what differs.
  [[nodiscard]] static Result<Trajectories> open(const Study& study,
                                                 const std::filesystem::path& file,
                                                 MakeTrainer make_trainer);

  [[nodiscard]] bool has(std::uint32_t seed, const Path& path) const {
    return points_.contains({seed, path.text()});
  }

  // On the halves that the seed decides and certifies with. Trains what is missing, and appends it.
  // From the first such call on this process has the file for itself: Unavailable where another one
  // does, InvalidInput where the file is of other data, or of the older layout. Models are kept
  // until the seed changes or forget_models(): what is missing of them is trained again.
  [[nodiscard]] Result<Point> at(std::uint32_t seed, const Path& path);
  void forget_models() { models_.clear(); }

  [[nodiscard]] std::size_t trained() const { return trained_; }  // Points, by this process.

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
  std::map<Key, Point> points_;  // read() and remember() add.
  bool is_older_ = false;        // The file has the older layout.
  Provenance provenance_;        // Of the file, or else of the study.
  std::uint64_t length_ = 0;     // Of the file without a line that was cut off.

  std::unique_ptr<Trainer> trainer_;  // Null until something is missing, as the next two.
  std::optional<posix::FileLock> lock_;
  std::optional<posix::AppendFile> append_;
  std::uint32_t seed_ = 0;                      // Of models_.
  std::map<std::string, learn::Model> models_;  // By path; cleared when the seed changes.
  std::size_t trained_ = 0;
};

}  // namespace surety::bench
