#include "trajectories.h"

#include <fmt/format.h>

#include <tuple>

#include "base/check.h"
#include "base/posix/clock.h"
#include "plan/files/csv.h"

namespace surety::bench {
namespace {

using plan::Column;

constexpr std::tuple kColumns{
    Column{"seed", &Point::seed},
    Column{"path", &Point::path},
    Column{"metric", &Point::metric},
    Column{"metric_se", &Point::metric_se},
    Column{"certify_metric", &Point::certify_metric},
    Column{"certify_se", &Point::certify_se},
    Column{"cpu_s", &Point::cpu_s},
};

std::string header() {
  return std::apply([](const auto&... c) { return plan::header_of(c...); }, kColumns);
}

// So many digits are in the file: a point is the same number whether it was just trained or read.
double rounded(double value) { return std::stod(fmt::format("{:.5g}", value)); }

std::string line_of(const Point& point) {
  std::string text =
      std::apply([&](const auto&... c) { return plan::write_csv({point}, c...); }, kColumns);
  return text.substr(text.find('\n') + 1);
}

std::string head_of(const Study& study) {
  return fmt::format("# {}\n{}\n", describe(study), header());
}

Result<std::vector<Point>> read_points(const Study& study, const std::string& name,
                                       const std::string& text) {
  const std::string head = head_of(study);
  if (!text.starts_with(head)) {
    return fail(ErrorCode::kInvalidInput, "{}: found '{}', expected '# {}': remove it to retrain",
                name, text.substr(0, text.find('\n')), describe(study));
  }
  const std::string table = text.substr(text.find('\n') + 1);
  return std::apply([&](const auto&... c) { return plan::read_csv(name, table, c...); }, kColumns);
}

}  // namespace

Result<Trajectories> Trajectories::open(const Study& study, const std::filesystem::path& file,
                                        MakeTrainer make_trainer) {
  std::string text;
  if (std::filesystem::exists(file)) {
    SURETY_TRY(text, posix::read_file(file));
    text.resize(text.rfind('\n') + 1);  // npos + 1 is 0.
  }
  const bool is_new = text.empty();
  if (is_new) text = head_of(study);
  SURETY_TRY(const std::vector<Point> points, read_points(study, file.string(), text));
  SURETY_TRY(posix::AppendFile append, posix::AppendFile::open(file, is_new ? 0 : text.size()));
  if (is_new) SURETY_TRY(append.append(std::as_bytes(std::span(text))));
  Trajectories trajectories(std::move(make_trainer), std::move(append));
  for (const Point& point : points) trajectories.points_[{point.seed, point.path}] = point;
  return trajectories;
}

Result<Point> Trajectories::at(std::uint32_t seed, const Path& path) {
  const auto known = points_.find({seed, path.text()});
  if (known != points_.end()) return known->second;
  if (!trainer_) {
    SURETY_TRY(trainer_, make_trainer_());
  }
  // The passes before this one may have to be trained again; they are not its time.
  if (!path.is_start()) SURETY_TRY(model_at(seed, path.before()));
  const double begin_s = posix::process_cpu_seconds();
  SURETY_TRY(const learn::Model* model, model_at(seed, path));
  SURETY_TRY(const Measured measured, trainer_->measure(*model));
  const Point point{seed,
                    path.text(),
                    rounded(measured.metric),
                    rounded(measured.metric_se),
                    rounded(measured.certify_metric),
                    rounded(measured.certify_se),
                    rounded(posix::process_cpu_seconds() - begin_s)};
  SURETY_TRY(remember(point));
  return point;
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

Result<void> Trajectories::remember(const Point& point) {
  const std::string line = line_of(point);
  SURETY_TRY(file_.append(std::as_bytes(std::span(line))));
  points_[{point.seed, point.path}] = point;
  ++trained_;
  return {};
}

}  // namespace surety::bench
