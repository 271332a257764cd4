#include "learn/linear/solver/glm_working_set.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace surety::learn {
namespace glm_working_set_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// Rows with these slacks. Row i has `count` values, all of them i, the features from i on, and the
// label i.
struct Table {
  std::vector<std::vector<float>> value;
  std::vector<std::vector<std::uint32_t>> feature;
  std::vector<DualRow> rows;

  Table(const std::vector<float>& slacks, bool sparse, std::uint32_t count = 2)
      : value(slacks.size()), feature(slacks.size()) {
    for (std::size_t i = 0; i < slacks.size(); ++i) {
      value[i].assign(count, static_cast<float>(i));
      feature[i].resize(count);
      std::iota(feature[i].begin(), feature[i].end(), static_cast<std::uint32_t>(i));
      rows.push_back({.x = {.feature = sparse ? feature[i].data() : nullptr,
                            .value = value[i].data(),
                            .count = count},
                      .label = static_cast<float>(i),
                      .slack = slacks[i]});
    }
  }
};

std::vector<int> numbers(std::span<const DualRow> rows) {
  std::vector<int> numbers;
  for (const DualRow& row : rows) numbers.push_back(static_cast<int>(row.label));
  return numbers;
}

TEST(WorkingSet, HasTheRowsThatMoveAndTheDenseOnesNearestToMoving) {
  const std::vector<float> slacks{0, 3, 1, kNeverMoves, 0, 2};
  const auto kept = [&](bool sparse, double near_share) {
    Table table(slacks, sparse);
    WorkingSet::Memory memory;
    WorkingSet set({.near_share = near_share}, RowParts(nullptr), memory);
    set.keep(table.rows);
    set.close();
    EXPECT_EQ(numbers(set.working()), numbers(set.kept()));
    return numbers(set.kept());
  };
  EXPECT_THAT(kept(false, 0), ElementsAre(0, 4));
  EXPECT_THAT(kept(false, 0.5), ElementsAre(0, 2, 4));
  EXPECT_THAT(kept(false, 1), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(kept(false, 9), ElementsAre(0, 1, 2, 4, 5));
  EXPECT_THAT(kept(true, 9), ElementsAre(0, 4));
}

TEST(WorkingSet, GrowsWithEachBlockOfRows) {
  Table table({0, 0, kNeverMoves, 0}, false);
  WorkingSet::Memory memory;
  WorkingSet set({}, RowParts(nullptr), memory);
  set.keep(std::span(table.rows).first(2));
  set.keep(std::span(table.rows).subspan(2));
  set.close();
  EXPECT_THAT(numbers(set.kept()), ElementsAre(0, 1, 3));
}

TEST(WorkingSet, EachBlockAddsItsOwnRowsNearestToMoving) {
  Table table({0, 1, 0, 5}, false);
  WorkingSet::Memory memory;
  WorkingSet set({.near_share = 1}, RowParts(nullptr), memory);
  set.keep(std::span(table.rows).first(2));
  set.keep(std::span(table.rows).subspan(2));
  EXPECT_THAT(numbers(set.kept()), ElementsAre(0, 1, 2, 3));
}

TEST(WorkingSet, HasTheSameRowsForAnyNumberOfThreads) {
  std::vector<float> slacks(9000, 0);
  for (std::size_t i = 0; i < slacks.size(); i += 3) slacks[i] = kNeverMoves;
  Table table(slacks, false);
  WorkingSet::Memory memory;
  WorkingSet alone({}, RowParts(nullptr), memory);
  alone.keep(table.rows);
  WorkingSet::Memory memory_of_team;
  SerialTeam team(4);
  WorkingSet shared({}, RowParts(&team), memory_of_team);
  shared.keep(table.rows);
  EXPECT_EQ(numbers(shared.kept()), numbers(alone.kept()));
}

TEST(WorkingSet, RowsThatRestGoBehindTheWorkingOnesAndStayKept) {
  Table table({0, 0, 0, 1, 2, 3}, false);
  WorkingSet::Memory memory;
  WorkingSet set({.near_share = 1}, RowParts(nullptr), memory);
  set.keep(table.rows);
  set.close();  // The median of the slacks 1, 2 and 3 is 2.
  EXPECT_TRUE(set.nearly_moves(set.kept()[4]));
  EXPECT_FALSE(set.nearly_moves(set.kept()[5]));
  set.kept()[1].slack = 9;
  set.shrink();
  EXPECT_THAT(numbers(set.working()), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(numbers(set.kept()), UnorderedElementsAreArray({0, 1, 2, 3, 4, 5}));
  for (DualRow& row : set.working()) row.slack = kNeverMoves;
  set.shrink();
  EXPECT_THAT(set.working(), IsEmpty());
  EXPECT_EQ(set.kept().size(), 6u);
}

TEST(WorkingSet, TemporaryValuesAreCopiedWhenTheyAreKept) {
  for (const bool sparse : {false, true}) {
    Table table({0, kNeverMoves, 0}, sparse);
    WorkingSet::Memory memory;
    WorkingSet set({.rows_are_temporary = true}, RowParts(nullptr), memory);
    set.keep(table.rows);
    for (auto& value : table.value) std::fill(value.begin(), value.end(), std::nanf(""));
    for (auto& feature : table.feature) std::fill(feature.begin(), feature.end(), 99u);
    set.close();
    ASSERT_EQ(set.kept().size(), 2u);
    const RowView& x = set.kept()[1].x;
    EXPECT_THAT(std::vector(x.value, x.value + x.count), ElementsAre(2, 2));
    ASSERT_EQ(x.feature != nullptr, sparse);
    if (sparse) {
      EXPECT_THAT(std::vector(x.feature, x.feature + x.count), ElementsAre(2, 3));
    }
  }
}

TEST(WorkingSet, ShortRowsAreGatheredInTheOrderOfTheirVisits) {
  Table table(std::vector<float>(50, 0.0f), true);
  WorkingSet::Memory memory;
  WorkingSet set({}, RowParts(nullptr), memory);
  set.keep(table.rows);
  set.close();
  set.shuffle(7, false);
  set.gather_values();
  const float* value = set.kept()[0].x.value;
  const std::uint32_t* feature = set.kept()[0].x.feature;
  for (const DualRow& row : set.kept()) {
    EXPECT_EQ(row.x.value, value);
    EXPECT_EQ(row.x.feature, feature);
    EXPECT_THAT(std::vector(row.x.value, row.x.value + row.x.count),
                ElementsAre(row.label, row.label));
    EXPECT_THAT(std::vector(row.x.feature, row.x.feature + row.x.count),
                ElementsAre(row.label, row.label + 1));
    value += row.x.count;
    feature += row.x.count;
  }
}

TEST(WorkingSet, LongRowsAreReadWhereTheyLie) {
  for (const std::uint32_t count : {256u, 257u}) {
    Table table({0, 0}, false, count);
    WorkingSet::Memory memory;
    WorkingSet set({}, RowParts(nullptr), memory);
    set.keep(table.rows);
    set.close();
    set.gather_values();
    EXPECT_EQ(set.kept()[0].x.value == table.value[0].data(), count == 257) << count;
  }
}

TEST(WorkingSet, TheSeedDecidesTheOrderOfItsRows) {
  const auto order = [](std::uint64_t seed, bool in_parts) {
    Table table(std::vector<float>(60, 0.0f), false);
    WorkingSet::Memory memory;
    SerialTeam team(2);
    WorkingSet set({}, RowParts(&team), memory);
    set.keep(table.rows);
    set.close();
    set.shuffle(seed, in_parts);
    return numbers(set.working());
  };
  EXPECT_EQ(order(1, false), order(1, false));
  EXPECT_NE(order(1, false), order(2, false));
  EXPECT_THAT(order(1, false), UnorderedElementsAreArray(order(2, false)));
  // Each thread shuffles only the rows of its part.
  const std::vector<int> mixed = order(1, true);
  EXPECT_TRUE(std::all_of(mixed.begin(), mixed.begin() + 30, [](int row) { return row < 30; }));
  EXPECT_NE(mixed, order(2, true));
}

}  // namespace glm_working_set_test
}  // namespace surety::learn
