#include "sdca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "datasets.h"
#include "liblinear_peer.h"
#include "svm_trainer.h"

namespace surety::bench {
namespace {

constexpr const char* kCache = "build/bench-data";

struct Size {
  const char* name;
  std::uint32_t rows;
  std::uint32_t rows_quick;
};
constexpr Size kSizes[] = {
    {"text", 600130, 2000}, {"sparse", 1000000, 2000}, {"dense", 200000, 500}};

// The primal objective of any model, computed in the simplest way.
template <typename Weight>
double primal_of(const Dataset& set, const std::vector<Weight>& w) {
  const data::Samples& samples = set.samples;
  const bool sparse = set.schema.layout == data::Layout::kSparse;
  const std::size_t features = set.schema.features;
  double loss = 0;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    double z = 0;
    const std::size_t first = sparse ? samples.row_begin[row] : row * features;
    const std::size_t last = sparse ? samples.row_begin[row + 1] : first + features;
    for (std::size_t i = first; i < last; ++i) {
      z += static_cast<double>(w[sparse ? samples.index[i] : i - first]) * samples.f32[i];
    }
    loss += std::max(0.0, 1 - samples.label[row] * z);
  }
  double square = 0;
  for (const Weight weight : w) square += static_cast<double>(weight) * weight;
  return (loss + square / 2) / static_cast<double>(samples.size());
}

// The dual objective of the dual variables in the chunks, with a model that is summed from them.
double dual_of(const Chunks& chunks, const data::Schema& schema) {
  std::vector<double> w(schema.features, 0.0);
  double sum = 0;
  double n = 0;
  for (const auto& [id, chunk] : chunks) {
    const data::Samples& samples = chunk.samples;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      const bool sparse = schema.layout == data::Layout::kSparse;
      const std::size_t first = sparse ? samples.row_begin[row] : row * schema.features;
      const std::size_t last = sparse ? samples.row_begin[row + 1] : first + schema.features;
      for (std::size_t i = first; i < last; ++i) {
        w[sparse ? samples.index[i] : i - first] += double{chunk.state[row]} * samples.f32[i];
      }
      sum += double{samples.label[row]} * chunk.state[row];
      ++n;
    }
  }
  double square = 0;
  for (const double weight : w) square += weight * weight;
  return (sum - square / 2) / n;
}

// The largest tolerance of a grid (four a decade) with which LIBLINEAR's result has this gap.
double tolerance_for(const Dataset& set, const LiblinearPeer& peer, double gap) {
  static constexpr double kStep = 0.5623413251903491;  // 10^(-1/4)
  const auto reaches = [&](double eps) {
    const LiblinearPeer::Trained trained = peer.train(eps);
    return primal_of(set, trained.w) - trained.dual <= gap;
  };
  double eps = gap >= 1e-3 ? 1 : 0.005;
  if (!reaches(eps)) {
    do eps *= kStep;
    while (!reaches(eps));
    return eps;
  }
  while (reaches(eps / kStep)) eps /= kStep;
  return eps;
}

bool measure(const Options& options, const Dataset& set, const LiblinearPeer& peer,
             const std::string& name, double target, Report& report) {
  const int repeats = options.quick ? 1 : 5;
  const double eps = tolerance_for(set, peer, target);
  Row row{.measure = name, .unit = "CPU s", .ours = {}, .peers = {}, .higher_is_better = false};
  Chunks chunks = cut_into_chunks(set);
  bool verified = true;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (auto& [id, chunk] : chunks) chunk.state.clear();
    const auto trained = train_svm(set.schema, chunks, target);
    if (!trained) return fmt::print(stderr, "{}: {}\n", name, trained.error().message), false;
    const double gap = primal_of(set, trained->model.parameters) - dual_of(chunks, set.schema);
    verified &= gap >= 0 && gap <= 1.01 * target;
    if (repeat == 0) {
      fmt::print("{}: gap {:.3g} after {} iterations; LIBLINEAR -e {:.3g}\n", name, gap,
                 trained->iterations, eps);
    }
    row.ours.push_back(trained->cpu_s);
    if (repeat < 3) row.peers["liblinear -s 3"].push_back(peer.train(eps).cpu_s);
  }
  report.add(std::move(row));
  if (!verified) fmt::print(stderr, "{}: the gap differs from that of the certificate\n", name);
  return verified;
}

}  // namespace

bool measure_sdca(const Options& options, Report& report) {
  bool verified = true;
  for (const Size& size : kSizes) {
    const std::string name = fmt::format("sdca_{}", size.name);
    const std::string measures[] = {name + "/1e-3", name + "/1e-6"};
    if (!options.wants(measures[0]) && !options.wants(measures[1])) continue;
    const auto set = dataset(size.name, options.quick ? size.rows_quick : size.rows, kCache);
    if (!set) return fmt::print(stderr, "{}: {}\n", name, set.error().message), false;
    const LiblinearPeer peer(*set);
    if (options.wants(measures[0])) {
      verified &= measure(options, *set, peer, measures[0], 1e-3, report);
    }
    if (options.wants(measures[1])) {
      verified &= measure(options, *set, peer, measures[1], 1e-6, report);
    }
  }
  return verified;
}

}  // namespace surety::bench
