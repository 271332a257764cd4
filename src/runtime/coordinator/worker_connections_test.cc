#include "runtime/coordinator/worker_connections.h"

#include <gtest/gtest.h>

namespace surety::runtime {
namespace worker_connections_test {

TEST(WorkerConnections, AWorkerThatIsRemovedIsNotAtTheEndOfItsConnectionAnyMore) {
  WorkerConnections connections;
  connections.admit(10, WorkerId{1});
  connections.admit(11, WorkerId{2});
  EXPECT_EQ(connections.of(WorkerId{1}), 10u);
  EXPECT_EQ(connections.worker_of(10), WorkerId{1});
  EXPECT_EQ(connections.remove(WorkerId{1}), 10u);
  EXPECT_EQ(connections.of(WorkerId{1}), std::nullopt);
  EXPECT_EQ(connections.worker_of(10), std::nullopt);
  EXPECT_EQ(connections.remove(WorkerId{1}), std::nullopt);
  EXPECT_EQ(connections.worker_of(11), WorkerId{2});
}

TEST(WorkerConnections, AConnectionThatIsClosedIsForgottenWithItsWorkerAndItsLaunch) {
  WorkerConnections connections;
  connections.on_opened(10, 3);
  connections.admit(10, WorkerId{1});
  EXPECT_EQ(connections.launch_of(10), 3u);
  EXPECT_EQ(connections.on_closed(10), WorkerId{1});
  EXPECT_EQ(connections.of(WorkerId{1}), std::nullopt);
  EXPECT_EQ(connections.launch_of(10), std::nullopt);
  EXPECT_EQ(connections.on_closed(10), std::nullopt);
}

TEST(WorkerConnections, TheLaunchIsKnownBeforeTheWorkerIsAdmittedAndAfterItIsRemoved) {
  WorkerConnections connections;
  connections.on_opened(10, 3);
  EXPECT_EQ(connections.worker_of(10), std::nullopt);
  EXPECT_EQ(connections.launch_of(10), 3u);
  connections.admit(10, WorkerId{1});
  connections.remove(WorkerId{1});
  EXPECT_EQ(connections.launch_of(10), 3u);
  EXPECT_EQ(connections.launch_of(11), std::nullopt);
}

TEST(WorkerConnections, TheLastWorkerOfALaunchIsKnownAfterItsConnectionIsClosed) {
  WorkerConnections connections;
  EXPECT_EQ(connections.last_of(3), std::nullopt);
  connections.on_opened(10, 3);
  connections.admit(10, WorkerId{1});
  connections.on_closed(10);
  connections.on_opened(11, 3);
  EXPECT_EQ(connections.last_of(3), WorkerId{1});
  connections.admit(11, WorkerId{2});
  EXPECT_EQ(connections.last_of(3), WorkerId{2});
  EXPECT_EQ(connections.last_of(4), std::nullopt);
}

}  // namespace worker_connections_test
}  // namespace surety::runtime
