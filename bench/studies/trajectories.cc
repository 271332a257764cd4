#include "bench/studies/trajectories.h"

#include <span>

#include "base/check.h"
#include "base/posix/file.h"
#include "bench/studies/division.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {

Result<Trajectories> Trajectories::open(const Study& study, const std::filesystem::path& file,
                                        MakeTrainer make_trainer) {
  Trajectories trajectories(study, file, std::move(make_trainer));
  SURETY_TRY(trajectories.read());
  return trajectories;
}

Result<void> Trajectories::read() {
  points_.clear();
  provenance_ = provenance_of(study_);
  std::string text;
  if (std::filesystem::exists(file_)) {
    SURETY_TRY(text, posix::read_file(file_));
    text.resize(whole_lines(text).size());
  }
  length_ = text.size();
  if (text.empty()) return {};
  SURETY_TRY(Recording recording, read_recording(file_.string(), text));
  is_older_ = recording.is_older;
  if (is_older_ && recording.described != describe_halves(study_)) {
    return fail(ErrorCode::kInvalidInput, "{}:1: found '{}', expected '{}'", file_.string(),
                recording.described, describe_halves(study_));
  }
  for (const Point& point : recording.halves) points_[{point.seed, point.path}] = point;
  if (is_older_) return {};
  // Whether the data agree is only known when there are data to train on.
  if (const std::string* data = recording.provenance.find(kDataKey)) {
    provenance_.put(kDataKey, *data);
  }
  const std::string other = differences(recording.provenance, provenance_);
  if (!other.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}:1: recorded with other settings: {}: move the file away to record again",
                file_.string(), other);
  }
  for (const Measured& measured : recording.measured) {
    points_[{measured.seed, measured.path}] = divide(measured, halving_of_seed(measured.seed));
  }
  return {};
}

// Loads the data and locks the file for this process. The file is read again, because other
// processes may have added to it.
Result<void> Trajectories::begin_training() {
  if (is_older_) {
    return fail(ErrorCode::kInvalidInput,
                "{}: not everything was recorded, and files with two halves for each seed are no "
                "longer extended: record the study with scripts/study",
                file_.string());
  }
  SURETY_TRY(trainer_, make_trainer_());
  std::filesystem::create_directories(file_.parent_path());
  SURETY_TRY(lock_, posix::FileLock::take(file_));
  SURETY_TRY(read());
  Provenance expected = provenance_of(study_);
  expected.put(kDataKey, trainer_->content());
  if (length_ == 0) provenance_ = expected;
  const std::string other = differences(provenance_, expected);
  if (!other.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}:1: recorded with other settings: {}: move the file away to record again",
                file_.string(), other);
  }
  SURETY_TRY(append_, posix::AppendFile::open(file_, length_));
  if (length_ > 0) return {};
  const std::string head = head_of(provenance_);
  return append_->append(std::as_bytes(std::span(head)));
}

Result<Point> Trajectories::at(std::uint32_t seed, const Path& path) {
  const Key key{seed, path.text()};
  if (points_.contains(key)) return points_.at(key);
  if (!append_) {
    SURETY_TRY(begin_training());
    if (points_.contains(key)) return points_.at(key);
  }
  // The passes before this one may have to be trained again. Their time is not counted.
  if (!path.is_start()) SURETY_TRY(model_at(seed, path.before()));
  const double begin_s = posix::process_cpu_seconds();
  SURETY_TRY(const learn::Model* model, model_at(seed, path));
  SURETY_TRY(Measured measured, trainer_->measure(*model));
  measured.seed = seed;
  measured.path = key.second;
  measured.cpu_s = posix::process_cpu_seconds() - begin_s;
  SURETY_TRY(remember(as_written(std::move(measured))));
  return points_.at(key);
}

Result<const learn::Model*> Trajectories::model_at(std::uint32_t seed, const Path& path) {
  if (seed != seed_) models_.clear();
  seed_ = seed;
  const std::string key = path.text();
  const auto known = models_.find(key);
  if (known != models_.end()) return &known->second;
  SURETY_TRY(learn::Model model, advance(seed, path));
  return &models_.emplace(key, std::move(model)).first->second;
}

Result<learn::Model> Trajectories::advance(std::uint32_t seed, const Path& path) {
  if (path.is_start()) return trainer_->begin(seed, path.version());
  SURETY_TRY(const learn::Model* before, model_at(seed, path.before()));
  if (path.ends_in_switch()) return trainer_->switch_version(*before, path.version());
  learn::Model model = *before;
  SURETY_TRY(trainer_->train_pass(seed, path.passes() - 1, model));
  return model;
}

Result<void> Trajectories::remember(const Measured& measured) {
  const std::string line = line_of(measured);
  SURETY_TRY(append_->append(std::as_bytes(std::span(line))));
  points_[{measured.seed, measured.path}] = divide(measured, halving_of_seed(measured.seed));
  ++trained_;
  return {};
}

}  // namespace surety::bench
