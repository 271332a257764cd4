// LIBLINEAR's dual coordinate descent for the linear SVM with hinge loss (solver type 3; Hsieh et
// al., ICML 2008): the peer of our solver.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets.h"

namespace surety::bench {

class LiblinearPeer {
 public:
  // Copies the rows into LIBLINEAR's own form. This is not part of the measured time.
  explicit LiblinearPeer(const Dataset& set);

  struct Trained {
    std::vector<double> w;
    double dual = 0;   // Dual objective, scaled to ours (mean loss, lambda = 1 / n).
    double cpu_s = 0;  // CPU seconds of train().
  };
  // C = 1, which is lambda = 1 / n; `eps` is LIBLINEAR's tolerance (-e).
  [[nodiscard]] Trained train(double eps) const;

 private:
  // The same layout as LIBLINEAR's feature_node.
  struct Node {
    int index;
    double value;
  };
  std::vector<Node> nodes_;
  std::vector<Node*> rows_;
  std::vector<double> labels_;
  int features_ = 0;
};

}  // namespace surety::bench
