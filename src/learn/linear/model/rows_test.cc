#include "learn/linear/model/rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::learn {
namespace rows_test {

data::Schema schema(data::Layout layout, std::uint32_t features) {
  return {.layout = layout, .width = features, .features = features};
}

// Two sparse rows in four features, {0: 2, 3: -1} and {}, then one with an unknown feature, {1: 5,
// 9: 7}.
data::Samples sparse_rows() {
  data::Samples samples;
  samples.label = {1, -1, 1};
  samples.index = {0, 3, 1, 9};
  samples.f32 = {2, -1, 5, 7};
  samples.row_begin = {0, 2, 2, 4};
  return samples;
}

TEST(Rows, DenseAndSparseAgree) {
  data::Samples dense;
  dense.label = {1};
  dense.f32 = {2, 0, 0, -1};
  const auto sparse = sparse_rows();
  const std::vector<float> weights{1, 2, 3, 4};
  const std::span<const float> w(weights);
  const Rows a = Rows::of(dense, schema(data::Layout::kDenseF32, 4)).value();
  const Rows b = Rows::of(sparse, schema(data::Layout::kSparse, 4)).value();
  EXPECT_EQ(a.products(0, w).dot, -2);  // 2 * 1 - 1 * 4
  EXPECT_EQ(b.products(0, w).dot, -2);
  EXPECT_EQ(a.products(0, w).square, 5);
  EXPECT_EQ(b.products(0, w).square, 5);
}

TEST(Rows, BytesCountAsFractionsOf255) {
  data::Samples bytes;
  bytes.label = {0, 1};
  bytes.u8 = {0, 0, 255, 51};
  const std::vector<float> weights{1, 10};
  const std::span<const float> w(weights);
  const Rows rows = Rows::of(bytes, schema(data::Layout::kDenseU8, 2)).value();
  EXPECT_NEAR(rows.products(1, w).dot, 3, 1e-6);  // 1 + 10 / 5
}

TEST(Rows, UnknownSparseFeaturesWeighNothing) {
  const auto samples = sparse_rows();
  const Rows rows = Rows::of(samples, schema(data::Layout::kSparse, 4)).value();
  const std::vector<float> weights{1, 2, 3, 4};
  const std::span<const float> w(weights);
  EXPECT_EQ(rows.products(2, w).dot, 10);
  EXPECT_EQ(rows.products(2, w).square, 25);
  std::vector<float> target(4, 0.0f);
  rows.add(2, 2, std::span<float>(target));
  EXPECT_EQ(target, (std::vector<float>{0, 10, 0, 0}));
}

TEST(Rows, AnEmptyRowIsZero) {
  const auto samples = sparse_rows();
  const Rows rows = Rows::of(samples, schema(data::Layout::kSparse, 4)).value();
  const std::vector<float> ones(4, 1.0f);
  EXPECT_EQ(rows.products(1, std::span<const float>(ones)).square, 0);
}

TEST(Rows, ArraysThatDoNotFitTheSchemaAreRefused) {
  data::Samples dense;
  dense.label = {1, 1};
  dense.f32 = {1, 2, 3};
  EXPECT_FALSE(Rows::of(dense, schema(data::Layout::kDenseF32, 2)));
  EXPECT_FALSE(Rows::of(dense, schema(data::Layout::kDenseF32, 0)));
  EXPECT_FALSE(Rows::of(dense, schema(data::Layout::kDenseU8, 2)));
  auto sparse = sparse_rows();
  sparse.row_begin.pop_back();
  EXPECT_FALSE(Rows::of(sparse, schema(data::Layout::kSparse, 4)));
}

}  // namespace rows_test
}  // namespace surety::learn
