// The losses along paths, each trained once and then remembered in a file.
//
// Planners' runs of one seed share prefixes, and a study is killed and taken up again, so every
// point that was ever measured is kept: one line of a CSV per (seed, path), after a line that says
// what study they are of. With the file the whole study can be repeated without training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/posix/file.h"
#include "base/result.h"
#include "path.h"
#include "study.h"
#include "trainer.h"

namespace surety::bench {

struct Point {
  std::uint32_t seed = 0;
  std::string path;
  double metric = 0, metric_se = 0;
  double certify_metric = 0, certify_se = 0;
  double cpu_s = 0;  // Real: of its last pass and its evaluation.
};

class Trajectories {
 public:
  // Called when the first point is missing; an error where there is nothing to train on.
  using MakeTrainer = std::function<Result<std::unique_ptr<Trainer>>()>;

  // Reads what the file holds, and appends to it: one process at a time. A line that was cut off is
  // dropped. InvalidInput where it is of another study or malformed.
  [[nodiscard]] static Result<Trajectories> open(const Study& study,
                                                 const std::filesystem::path& file,
                                                 MakeTrainer make_trainer);

  // Trains what is missing. Models are kept for one seed at a time: a new seed, or the first call
  // in this process, trains from the start of the path.
  [[nodiscard]] Result<Point> at(std::uint32_t seed, const Path& path);

  [[nodiscard]] std::size_t trained() const { return trained_; }  // Points, by this process.

 private:
  using Key = std::pair<std::uint32_t, std::string>;

  Trajectories(MakeTrainer make_trainer, posix::AppendFile file)
      : make_trainer_(std::move(make_trainer)), file_(std::move(file)) {}
  [[nodiscard]] Result<const learn::Model*> model_at(std::uint32_t seed, const Path& path);
  [[nodiscard]] Result<learn::Model> advance(std::uint32_t seed, const Path& path);
  [[nodiscard]] Result<void> remember(const Point& point);

  MakeTrainer make_trainer_;
  std::unique_ptr<Trainer> trainer_;  // Null until something is missing.
  posix::AppendFile file_;
  std::map<Key, Point> points_;                 // remember() adds.
  std::uint32_t seed_ = 0;                      // Of models_.
  std::map<std::string, learn::Model> models_;  // By path; cleared when the seed changes.
  std::size_t trained_ = 0;
};

}  // namespace surety::bench
