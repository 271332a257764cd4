#include "elastic/policy/gap_window.h"

#include <cmath>

#include "base/check.h"

namespace surety::elastic {

void GapWindow::add(double time, double duality_gap) {
  points_.push_back({time, -std::log(duality_gap)});
}

void GapWindow::restart() {
  SURETY_CHECK(!points_.empty());
  points_.erase(points_.begin(), points_.end() - 1);
}

void GapWindow::slide() {
  while (iterations() > limits_.iterations_min && points_.back().y - points_[1].y >= limits_.fall) {
    points_.erase(points_.begin());
  }
  if (points_.size() > limits_.iterations_max) points_.erase(points_.begin());
}

bool GapWindow::is_full() const {
  return points_.back().y - points_.front().y >= limits_.fall ||
         points_.size() > limits_.iterations_max;
}

double GapWindow::iteration_time() const {
  return (points_.back().x - points_.front().x) / static_cast<double>(iterations());
}

}  // namespace surety::elastic
