#include "orchestrator/job_check.h"

#include <set>

#include "base/units.h"
#include "orchestrator/job_schema.h"
#include "orchestrator/job_section.h"

namespace surety::orchestrator {
namespace {

// The job as written, for the place of a key; a key that is absent stands where its section does.
struct Written {
  std::string_view file;
  const yaml::Node& tree;

  [[nodiscard]] const yaml::Node* find(std::string_view section, std::string_view key) const {
    const yaml::Node* map = tree.find(section);
    return map == nullptr ? nullptr : map->find(key);
  }
  [[nodiscard]] tl::unexpected<Error> refuse(std::string_view section, std::string_view key,
                                             std::string_view expected, std::string why) const {
    if (const yaml::Node* node = find(section, key)) {
      return refuse_value(At{file, std::string(section)}, *node, key, expected, {std::move(why)});
    }
    const yaml::Node* map = tree.find(section);
    return fail(ErrorCode::kInvalidInput, "{}: {}.{}: missing, expected {}: {}",
                yaml::where((map == nullptr ? tree : *map).place, file), section, key, expected,
                why);
  }
};

Result<void> check_target(const Written& written, const Job& job) {
  const double target = job.promise.target;
  if (job.promise.metric != plan::Metric::kAccuracy) {
    if (target > 0) return {};
    return written.refuse("promise", "target", "a number above 0",
                          fmt::format("{} never falls to it", name_of(job.promise.metric)));
  }
  if (target > 0 && target < 1) return {};
  const bool percent = target > 1 && target < 100;
  return written.refuse("promise", "target", "an accuracy between 0 and 1 (both excluded)",
                        percent ? fmt::format("{} % is {}", target, target / 100)
                                : std::string("the share of right answers"));
}

Result<void> check_deadline(const Written& written, double now_unix_s, Job& job) {
  if (!job.deadline_unix_s) return {};
  const double left_s = *job.deadline_unix_s - now_unix_s;
  if (left_s <= 0) {
    const auto ago = from_seconds(std::min(-left_s, 9e9));  // Durations hold 292 years.
    return written.refuse("promise", "deadline", "a point in time to come",
                          fmt::format("it passed {} ago", format_duration(ago)));
  }
  job.promise.deadline_s = left_s;
  return {};
}

Result<void> check_model(const Written& written, Job& job) {
  const bool linear = is_linear_model(job.model.zoo);
  if (written.find("train", "solver") == nullptr) {
    job.train.solver = linear ? Solver::kCocoa : Solver::kLocalSgd;
  }
  if (linear && job.train.solver != Solver::kCocoa) {
    return written.refuse("train", "solver", "cocoa",
                          fmt::format("{} is trained by its dual", job.model.zoo));
  }
  if (!linear && job.train.solver == Solver::kCocoa) {
    return written.refuse(
        "train", "solver", "local-sgd",
        fmt::format("cocoa trains logistic, svm and ridge, not {}", job.model.zoo));
  }
  if (linear && job.model.versions.size() > 1) {
    return written.refuse("model", "versions", "[full]",
                          fmt::format("{} has nothing to prune", job.model.zoo));
  }
  return {};
}

Result<void> check_metric(const Written& written, const Job& job) {
  if (job.promise.metric == plan::Metric::kDualityGap && job.train.solver != Solver::kCocoa) {
    return written.refuse(
        "promise", "metric", "validation_loss or accuracy",
        fmt::format("only cocoa (logistic, svm, ridge) has a duality gap, not {}", job.model.zoo));
  }
  if (job.promise.metric == plan::Metric::kAccuracy && job.model.zoo == "ridge") {
    return written.refuse("promise", "metric", "validation_loss or duality_gap",
                          "ridge predicts numbers, which are never simply right");
  }
  return {};
}

// A key that would have no effect is somebody's mistake.
Result<void> check_used(const Written& written, const Job& job) {
  if (job.train.solver == Solver::kLocalSgd) {
    if (written.find("train", "lambda") == nullptr) return {};
    return written.refuse("train", "lambda", "nothing with local-sgd",
                          "networks are regularised by train.weight_decay");
  }
  for (const std::string_view key : {"learning_rate", "momentum", "weight_decay"}) {
    if (written.find("train", key) == nullptr) continue;
    return written.refuse("train", key, "nothing with cocoa",
                          "it has no step size; train.lambda regularises");
  }
  return {};
}

Result<void> check_cluster(const Written& written, Job& job) {
  ClusterSpec& cluster = job.cluster;
  const bool others_join = written.find("cluster", "listen") != nullptr;
  if (written.find("cluster", "local") == nullptr) cluster.local = others_join ? 0 : 1;
  if (others_join) return {};
  constexpr const char* kOrListen = "or write cluster.listen for workers that join";
  if (cluster.local == 0) {
    return written.refuse("cluster", "local", "a whole number from 1",
                          fmt::format("zero workers would train nothing; {}", kOrListen));
  }
  for (const std::uint32_t count : job.profile.workers) {
    if (count <= cluster.local) continue;
    return written.refuse("profile", "workers", fmt::format("counts up to {}", cluster.local),
                          fmt::format("cluster.local starts no {} workers; {}", count, kOrListen));
  }
  if (cluster.workers_min > cluster.local) {
    return written.refuse("cluster", "workers_min", fmt::format("at most {}", cluster.local),
                          fmt::format("cluster.local starts no more; {}", kOrListen));
  }
  return {};
}

Result<void> check_data_names(const Written& written, const Job& job) {
  std::set<std::string> names;
  const yaml::Node* sets = written.find("data", "sets");
  for (std::size_t i = 0; i < job.data.size(); ++i) {
    if (names.insert(job.data[i].name).second) continue;
    const yaml::Node& set = sets->children[i];
    const yaml::Node* name = set.find("name");
    return refuse_value(At{written.file, fmt::format("data.{}", i)},
                        name == nullptr ? yaml::scalar(job.data[i].name, set.place) : *name, "name",
                        "a name that no other data set has");
  }
  return {};
}

}  // namespace

Result<void> check_job(std::string_view file, const yaml::Node& tree, double now_unix_s, Job& job) {
  const Written written{file, tree};
  SURETY_TRY(check_target(written, job));
  SURETY_TRY(check_deadline(written, now_unix_s, job));
  SURETY_TRY(check_model(written, job));
  SURETY_TRY(check_metric(written, job));
  SURETY_TRY(check_used(written, job));
  SURETY_TRY(check_cluster(written, job));
  return check_data_names(written, job);
}

}  // namespace surety::orchestrator
