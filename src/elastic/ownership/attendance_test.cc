#include "elastic/ownership/attendance.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace attendance_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};

Attendance attendance_of_three() {
  Attendance attendance;
  for (const WorkerId worker : {kW3, kW1, kW2}) attendance.join(worker);
  return attendance;
}

TEST(Attendance, AWorkerStaysUntilItLeaves) {
  Attendance attendance = attendance_of_three();
  EXPECT_THAT(attendance.staying(), ElementsAre(kW1, kW2, kW3));
  EXPECT_THAT(attendance.leaving(), IsEmpty());
  attendance.leave(kW2);
  EXPECT_THAT(attendance.staying(), ElementsAre(kW1, kW3));
  EXPECT_THAT(attendance.leaving(), ElementsAre(kW2));
  EXPECT_THAT(attendance.live(), ElementsAre(kW1, kW2, kW3));
}

TEST(Attendance, ALeaverDepartsWhenItHasNoChunk) {
  Attendance attendance = attendance_of_three();
  attendance.leave(kW2);
  EXPECT_FALSE(attendance.has_departed(kW2));
  attendance.has_no_chunk(kW2);
  EXPECT_TRUE(attendance.has_departed(kW2));
  EXPECT_THAT(attendance.leaving(), IsEmpty());
  EXPECT_THAT(attendance.live(), ElementsAre(kW1, kW3));
}

TEST(Attendance, AStayingWorkerNeedsNoChunk) {
  Attendance attendance = attendance_of_three();
  attendance.has_no_chunk(kW1);
  EXPECT_FALSE(attendance.has_departed(kW1));
  EXPECT_THAT(attendance.staying(), ElementsAre(kW1, kW2, kW3));
}

TEST(Attendance, TheDeadAreLostOnceAndDoNotDepart) {
  Attendance attendance = attendance_of_three();
  attendance.leave(kW2);
  EXPECT_TRUE(attendance.lose(kW1));
  EXPECT_TRUE(attendance.lose(kW2));
  EXPECT_FALSE(attendance.lose(kW2));
  attendance.leave(kW1);
  attendance.has_no_chunk(kW2);
  EXPECT_FALSE(attendance.has_departed(kW2));
  EXPECT_THAT(attendance.live(), ElementsAre(kW3));
}

TEST(Attendance, ADepartedWorkerIsNotLost) {
  Attendance attendance = attendance_of_three();
  attendance.leave(kW2);
  attendance.has_no_chunk(kW2);
  EXPECT_FALSE(attendance.lose(kW2));
  EXPECT_TRUE(attendance.has_departed(kW2));
}

TEST(Attendance, AnUnknownWorkerNeitherLeavesNorIsLost) {
  Attendance attendance;
  attendance.leave(kW1);
  attendance.has_no_chunk(kW1);
  EXPECT_FALSE(attendance.lose(kW1));
  EXPECT_FALSE(attendance.has_joined(kW1));
  EXPECT_FALSE(attendance.has_departed(kW1));
}

TEST(AttendanceDeathTest, AnIdIsNeverUsedAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Attendance attendance = attendance_of_three();
  attendance.lose(kW1);
  EXPECT_DEATH(attendance.join(kW1), "is_new");
}

}  // namespace attendance_test
}  // namespace surety::elastic
