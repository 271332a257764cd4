#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/posix/file.h"
#include "command.h"
#include "data/formats/gzip.h"
#include "data/posix/open.h"
#include "measures.h"
#include "objective.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGap = 1e-6;       // Relative to the objective.
constexpr double kBoundGap = 1e-8;  // Gap of the run that bounds the least objective from below.

struct Contest {
  std::string model;
  Objective objective;
  std::vector<int> solvers;  // LIBLINEAR's solvers for the objective; the dual solver is first.
};

const std::vector<Contest>& contests() {
  static const std::vector<Contest> all{{"logistic", Objective::kLogistic, {7, 0}},
                                        {"svm-l2", Objective::kSquaredHinge, {1, 2}}};
  return all;
}

// Writes the text that LIBLINEAR needs, and the validation rows that we need. They are few, because
// LIBLINEAR has none.
Result<void> unpack(const fs::path& gzipped, const fs::path& text, const fs::path& few) {
  SURETY_TRY(auto file, data::local_files()(gzipped.string()));
  SURETY_TRY(const auto source, data::inflated(std::move(file)));
  std::ofstream out(text, std::ios::binary);
  std::vector<std::byte> buffer(1 << 16);
  while (true) {
    SURETY_TRY(const std::size_t count, source->read(buffer));
    if (count == 0) break;
    out.write(reinterpret_cast<const char*>(buffer.data()), static_cast<std::streamsize>(count));
  }
  out.close();
  static constexpr int kFew = 100;
  std::ifstream all(text);
  std::ofstream head(few);
  std::string line;
  for (int i = 0; i < kFew && std::getline(all, line); ++i) head << line << "\n";
  return {};
}

class A9a {
 public:
  explicit A9a(fs::path folder) : folder_(std::move(folder)) {}

  Result<void> prepare(const fs::path& data) {
    SURETY_TRY(unpack(data / "a9a.gz", rows_file(), folder_ / "few"));
    SURETY_TRY(rows_, read_rows(rows_file()));
    return {};
  }

  struct Ours {
    Taken taken;
    double gap = 0;        // The certified gap.
    double objective = 0;  // Recomputed from the model.
  };
  Result<Ours> train(const Contest& contest, double target) {
    const fs::path job = folder_ / "job.yaml";
    std::ofstream(job) << fmt::format(
        "name: a9a\n"
        "promise: {{metric: duality_gap, target: {}, probability: 0.9, deadline: 5min}}\n"
        "data: \"libsvm://{}\"\nvalidation: \"libsvm://{}\"\n"
        "model: {{zoo: {}}}\ntrain: {{passes_max: 1000}}\ncluster: {{local: 1}}\n",
        target, rows_file().string(), (folder_ / "few").string(), contest.model);
    const fs::path run = folder_ / "run";
    fs::remove_all(run);
    Ours ours;
    SURETY_TRY(ours.taken, run_command({program("surety"), "train", job.string(), "--quiet",
                                        "--out", run.string()},
                                       folder_ / "log"));
    SURETY_TRY(const std::string certificate, posix::read_file(run / "certificate.json"));
    ours.gap = nlohmann::json::parse(certificate).at("certified").at("metric").get<double>();
    SURETY_TRY(ours.objective, objective_of(run / "model.liblinear", rows_, contest.objective));
    return ours;
  }

  struct Peer {
    Taken taken;
    double objective = 0;
  };
  Result<Peer> liblinear(const Contest& contest, int solver, double tolerance) {
    const fs::path model = folder_ / "model";
    Peer peer;
    SURETY_TRY(peer.taken,
               run_command({"liblinear-train", "-q", "-c", "1", "-s", std::to_string(solver), "-e",
                            fmt::format("{}", tolerance), rows_file().string(), model.string()},
                           folder_ / "log"));
    SURETY_TRY(peer.objective, objective_of(model, rows_, contest.objective));
    return peer;
  }

  // The largest power of ten as tolerance with which the solver reaches the gap; nothing if none
  // does.
  Result<std::optional<double>> tolerance(const Contest& contest, int solver, double least) {
    for (double tolerance = 0.1; tolerance > 1e-9; tolerance /= 10) {
      SURETY_TRY(const Peer peer, liblinear(contest, solver, tolerance));
      if (peer.objective - least <= kGap * peer.objective) return tolerance;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] fs::path rows_file() const { return folder_ / "a9a"; }

  fs::path folder_;
  std::vector<SparseRow> rows_;
};

Result<bool> measure(A9a& a9a, const Contest& contest, const Options& options, Report& report) {
  SURETY_TRY(const A9a::Ours first, a9a.train(contest, 0.01));
  SURETY_TRY(const A9a::Ours precise, a9a.train(contest, kBoundGap * first.objective));
  const double least = precise.objective - precise.gap;
  std::map<int, double> tolerances;
  for (const int solver : contest.solvers) {
    SURETY_TRY(const auto tolerance, a9a.tolerance(contest, solver, least));
    if (tolerance) tolerances[solver] = *tolerance;
  }
  Row wall{.measure = fmt::format("a9a/{} wall", contest.model),
           .unit = "s",
           .ours = {},
           .peers = {},
           .higher_is_better = false};
  Row cpu{.measure = fmt::format("a9a/{} cpu", contest.model),
          .unit = "s",
          .ours = {},
          .peers = {},
          .higher_is_better = false};
  bool verified = true;
  for (int run = 0; run < (options.quick ? 1 : 9); ++run) {
    SURETY_TRY(const A9a::Ours ours, a9a.train(contest, kGap * precise.objective));
    wall.ours.push_back(ours.taken.wall_s);
    cpu.ours.push_back(ours.taken.cpu_s);
    verified = verified && ours.objective - least <= kGap * ours.objective;
    for (const auto& [solver, tolerance] : tolerances) {
      SURETY_TRY(const A9a::Peer peer, a9a.liblinear(contest, solver, tolerance));
      const std::string name = fmt::format("liblinear -s {} -e {}", solver, tolerance);
      wall.peers[name].push_back(peer.taken.wall_s);
      cpu.peers[name].push_back(peer.taken.cpu_s);
      verified = verified && peer.objective - least <= kGap * peer.objective;
    }
  }
  report.add(std::move(wall));
  report.add(std::move(cpu));
  return verified;
}

}  // namespace

bool measure_a9a(const Options& options, const fs::path& data, Report& report) {
  bool verified = true;
  for (const Contest& contest : contests()) {
    if (!options.wants("a9a/" + contest.model)) continue;
    const posix::TemporaryFolder folder;
    A9a a9a(folder.path());
    Result<bool> measured = true;
    if (const auto ready = a9a.prepare(data); !ready) {
      measured = tl::unexpected(ready.error());
    } else {
      measured = measure(a9a, contest, options, report);
    }
    if (!measured) fmt::print(stderr, "a9a/{}: {}\n", contest.model, measured.error().message);
    verified = verified && measured && *measured;
  }
  return verified;
}

}  // namespace surety::bench
