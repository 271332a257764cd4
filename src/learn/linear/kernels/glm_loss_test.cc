#include "learn/linear/kernels/glm_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace surety::learn {
namespace glm_loss_test {

constexpr Loss kLosses[] = {Loss::kLogistic, Loss::kHinge, Loss::kSquaredHinge, Loss::kSquared};

// Dual variables that the loss allows, on a fine grid.
std::vector<double> dual_grid(Loss loss, double y) {
  std::vector<double> grid;
  const double scale = loss == Loss::kSquared || loss == Loss::kSquaredHinge ? 20 : 1;
  for (int i = 0; i <= 4000; ++i) {
    const double b = i / 4000.0;
    grid.push_back(loss == Loss::kSquared ? scale * (b - 0.5) : y * scale * b);
  }
  return grid;
}

TEST(GlmLoss, KnownValues) {
  EXPECT_NEAR(loss_at(Loss::kLogistic, 0, 1), std::log(2.0), 1e-15);
  EXPECT_EQ(loss_at(Loss::kHinge, 0.25, 1), 0.75);
  EXPECT_EQ(loss_at(Loss::kHinge, 0.25, -1), 1.25);
  EXPECT_EQ(loss_at(Loss::kSquaredHinge, 0.5, 1), 0.25);
  EXPECT_EQ(loss_at(Loss::kSquaredHinge, 2, 1), 0);
  EXPECT_EQ(loss_at(Loss::kSquared, 3, 1), 2);
}

TEST(GlmLoss, LogisticLossOfAHugeMarginIsNeitherInfiniteNorNan) {
  EXPECT_NEAR(loss_at(Loss::kLogistic, -1000, 1), 1000, 1e-9);
  EXPECT_EQ(loss_at(Loss::kLogistic, 1000, 1), 0);
}

TEST(GlmLoss, ConjugateIsTheLegendreTransform) {
  // Fenchel: l(z) = max over alpha of -alpha z - l*(-alpha), here by brute force.
  for (const Loss loss : kLosses) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-2.0, -0.3, 0.0, 0.7, 1.5}) {
        double best = -1e300;
        for (const double alpha : dual_grid(loss, y)) {
          best = std::max(best, -alpha * z - conjugate_at(loss, alpha, y));
        }
        EXPECT_NEAR(best, loss_at(loss, z, y), 1e-4) << "y " << y << " z " << z;
      }
    }
  }
}

TEST(GlmLoss, BestDualBeatsEveryOtherDual) {
  for (const Loss loss : kLosses) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-30.0, -0.5, 0.0, 0.9, 40.0}) {
        for (const double q : {0.0, 1e-3, 1.0, 500.0}) {
          const double alpha = y * 0.3;
          const auto gain = [&](double to) {
            const double step = to - alpha;
            return -conjugate_at(loss, to, y) - step * z - q * step * step / 2;
          };
          const double best = best_dual(loss, alpha, y, z, q);
          ASSERT_TRUE(is_feasible(loss, best, y));
          for (const double other : dual_grid(loss, y)) {
            ASSERT_GE(gain(best) + 1e-9, gain(other)) << "y " << y << " z " << z << " q " << q;
          }
        }
      }
    }
  }
}

TEST(GlmLoss, TheSlopeOfTheConjugateIsItsDerivative) {
  for (const Loss loss : kLosses) {
    for (const double y : {-1.0, 1.0}) {
      for (const double b : {0.1, 0.4, 0.9}) {
        const double h = 1e-6;
        const double numeric =
            (conjugate_at(loss, y * b + h, y) - conjugate_at(loss, y * b - h, y)) / (2 * h);
        EXPECT_NEAR(conjugate_slope_at(loss, y * b, y), numeric, 1e-7);
      }
      EXPECT_TRUE(std::isfinite(conjugate_slope_at(loss, y, y)));
      EXPECT_TRUE(std::isfinite(conjugate_slope_at(loss, 0, y)));
    }
  }
}

TEST(GlmLoss, BestDualOfItselfIsItself) {
  for (const Loss loss : kLosses) {
    // At the margin after the first step, no further step improves the dual.
    const double q = 2;
    const double z = -0.4;
    const double alpha = best_dual(loss, 0.2, 1, z, q);
    EXPECT_NEAR(best_dual(loss, alpha, 1, z + q * (alpha - 0.2), q), alpha, 1e-9);
  }
}

TEST(GlmLoss, AHingeStepWithoutSlopeAndCurvatureStaysWhereItIs) {
  EXPECT_EQ(best_dual(Loss::kHinge, 0.3, 1, 1, 0), 0.3);  // y z = 1 and an empty row: 0 / 0.
  EXPECT_EQ(best_dual(Loss::kHinge, 0.3, 1, 0, 0), 1);
  EXPECT_EQ(best_dual(Loss::kHinge, 0.3, 1, 2, 0), 0);
}

TEST(GlmLoss, AVisitIsTheBestDualTheLossAndTheGap) {
  for (const double y : {-1.0, 1.0}) {
    for (const double b : {0.0, 1e-7, 0.02, 0.5, 0.9, 1 - 1e-6, 1.0}) {
      const double alpha = static_cast<float>(y * b);
      const double rest = b > 0 && b < 1 ? -y * std::log(y * alpha / (1 - y * alpha)) : 0;
      // Margins at which the sample is at rest, nearly at rest (on both sides of the limit between
      // the two methods), and far from rest.
      for (const double off : {0.0, 1e-6, -1e-3, 0.0299, -0.0301, 0.5, -4.0, 30.0}) {
        for (const double q : {0.0, 1e-3, 2.0, 500.0}) {
          const double z = rest + off;
          const LogisticVisit visit = visit_logistic(alpha, y, z, q);
          const double loss = loss_at(Loss::kLogistic, z, y);
          const double gap = loss + conjugate_at(Loss::kLogistic, alpha, y) + alpha * z;
          ASSERT_NEAR(visit.loss, loss, 1e-9 * (1 + loss)) << y << " " << b << " " << off;
          ASSERT_NEAR(visit.gap, gap, 1e-5 * gap + 1e-13) << y << " " << b << " " << off;
          const double best = best_dual(Loss::kLogistic, alpha, y, z, q);
          ASSERT_NEAR(visit.alpha, best, 6e-8 * std::abs(best) + 1e-12)
              << y << " " << b << " " << off << " " << q;
        }
      }
    }
  }
}

TEST(GlmLoss, DualsOutsideTheDomainAreNotFeasible) {
  EXPECT_FALSE(is_feasible(Loss::kHinge, -0.1, 1));
  EXPECT_FALSE(is_feasible(Loss::kLogistic, 1.1, 1));
  EXPECT_FALSE(is_feasible(Loss::kLogistic, std::nan(""), 1));
  EXPECT_FALSE(is_feasible(Loss::kSquared, std::nan(""), 1));
  EXPECT_TRUE(is_feasible(Loss::kHinge, -0.1, -1));
  EXPECT_FALSE(is_feasible(Loss::kSquaredHinge, -0.1, 1));
  EXPECT_TRUE(is_feasible(Loss::kSquaredHinge, 7, 1));  // There is no upper bound.
}

}  // namespace glm_loss_test
}  // namespace surety::learn
