#include "learn/linear/solver/glm_row_parts.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace surety::learn {
namespace glm_row_parts_test {

using ::testing::ElementsAre;
using ::testing::Pair;

// The number and the size of each part, in the order of the calls. Checks that the parts follow
// each other.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(std::size_t rows, Team* team,
                                                          bool only_if_many) {
  std::vector<DualRow> all(rows);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t next = 0;
  const RowParts row_parts(team);
  const auto work = [&](std::span<DualRow> part, std::size_t number) {
    EXPECT_LT(number, row_parts.count());
    EXPECT_EQ(part.data(), all.data() + next);
    next += part.size();
    parts.emplace_back(number, part.size());
  };
  only_if_many ? row_parts.for_many(all, work) : row_parts.for_each(all, work);
  EXPECT_EQ(next, rows);
  return parts;
}

TEST(RowParts, EachThreadHasConsecutiveRows) {
  SerialTeam team(3);
  EXPECT_THAT(parts_of(10, &team, false), ElementsAre(Pair(0, 3), Pair(1, 3), Pair(2, 4)));
}

TEST(RowParts, WithoutATeamThereIsOnePart) {
  EXPECT_THAT(parts_of(10, nullptr, false), ElementsAre(Pair(0, 10)));
  EXPECT_THAT(parts_of(9999, nullptr, true), ElementsAre(Pair(0, 9999)));
}

TEST(RowParts, FewRowsWakeNoThreads) {
  SerialTeam team(2);
  EXPECT_THAT(parts_of(4095, &team, true), ElementsAre(Pair(0, 4095)));
  EXPECT_THAT(parts_of(4096, &team, true), ElementsAre(Pair(0, 2048), Pair(1, 2048)));
}

}  // namespace glm_row_parts_test
}  // namespace surety::learn
