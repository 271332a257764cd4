#include "liblinear_peer.h"

#include <linear.h>

#include <cstdlib>
#include <string>

#include "base/check.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {
namespace {

std::string printed;  // Output of LIBLINEAR, which reports the dual objective only there.
void keep(const char* text) { printed += text; }

double printed_objective() {
  static constexpr std::string_view kHead = "Objective value = ";
  const std::size_t at = printed.find(kHead);
  SURETY_CHECK(at != std::string::npos);
  return std::strtod(printed.c_str() + at + kHead.size(), nullptr);
}

}  // namespace

LiblinearPeer::LiblinearPeer(const Dataset& set)
    : features_(static_cast<int>(set.schema.features)) {
  static_assert(sizeof(Node) == sizeof(feature_node));
  const data::Samples& samples = set.samples;
  const std::size_t rows = samples.size();
  const bool sparse = set.schema.layout == data::Layout::kSparse;
  nodes_.reserve(samples.f32.size() + rows);
  std::vector<std::size_t> begin;
  for (std::size_t row = 0; row < rows; ++row) {
    begin.push_back(nodes_.size());
    const std::size_t first = sparse ? samples.row_begin[row] : row * set.schema.features;
    const std::size_t last = sparse ? samples.row_begin[row + 1] : first + set.schema.features;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t feature = sparse ? samples.index[i] : i - first;
      nodes_.push_back({static_cast<int>(feature) + 1, samples.f32[i]});
    }
    nodes_.push_back({-1, 0});
    labels_.push_back(samples.label[row]);
  }
  for (const std::size_t at : begin) rows_.push_back(nodes_.data() + at);
}

LiblinearPeer::Trained LiblinearPeer::train(double eps) const {
  const int rows = static_cast<int>(labels_.size());
  problem what{};
  what.l = rows;
  what.n = features_;
  what.y = const_cast<double*>(labels_.data());
  what.x = reinterpret_cast<feature_node**>(const_cast<Node**>(rows_.data()));
  what.bias = -1;
  parameter how{};
  how.solver_type = L2R_L1LOSS_SVC_DUAL;
  how.eps = eps;
  how.C = 1;
  how.p = 0.1;
  printed.clear();
  set_print_string_function(keep);
  const double start_s = posix::process_cpu_seconds();
  model* made = ::train(&what, &how);
  Trained trained{.w = {}, .dual = 0, .cpu_s = posix::process_cpu_seconds() - start_s};
  trained.dual = -printed_objective() / rows;
  // LIBLINEAR trains for the label that it read first, which is the first of its labels.
  const double sign = made->label[0] == 1 ? 1 : -1;
  for (int f = 0; f < features_; ++f) trained.w.push_back(sign * made->w[f]);
  free_and_destroy_model(&made);
  return trained;
}

}  // namespace surety::bench
