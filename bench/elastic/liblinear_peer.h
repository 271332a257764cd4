// LIBLINEAR's dual coordinate descent for the linear SVM with hinge loss (solver type 3; Hsieh et
// al., ICML 2008): what our solver is measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets.h"

namespace surety::bench {

class LiblinearPeer {
 public:
  // Copies the rows into LIBLINEAR's own form, which is no part of what is measured.
  explicit LiblinearPeer(const Dataset& set);

  struct Trained {
    std::vector<double> w;
    double dual = 0;   // Its dual objective, scaled to ours (mean loss, lambda = 1 / n).
    double cpu_s = 0;  // Of train().
  };
  // C = 1, which is lambda = 1 / n; `eps` is LIBLINEAR's tolerance (-e).
  [[nodiscard]] Trained train(double eps) const;

 private:
  struct Node {  // LIBLINEAR's feature_node.
    int index;
    double value;
  };
  std::vector<Node> nodes_;
  std::vector<Node*> rows_;
  std::vector<double> labels_;
  int features_ = 0;
};

}  // namespace surety::bench
