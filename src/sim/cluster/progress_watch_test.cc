#include "sim/cluster/progress_watch.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace progress_watch_test {

struct World {
  EventQueue queue;
  Watch watch{orchestrator::JobConfig{}};
  ProgressWatch progress{queue, watch, 10, [] { return std::string("train"); }};
  std::uint64_t iteration = 0;

  World() {
    proto::JournalRecord joined;
    joined.mutable_worker_joined()->set_worker(1);
    watch.on_append(joined);
  }

  // Begins the next iteration, by a command that commits the one before.
  void begin_iteration() {
    proto::ToWorker step;
    step.set_model_iteration(iteration);
    step.set_sequence(++iteration);
    step.mutable_step()->set_iteration(iteration);
    watch.on_command(WorkerId{1}, step);
  }
  // Worker 1 has done the iteration, and begins another one.
  void commit() {
    if (iteration == 0) begin_iteration();
    proto::FromWorker done;
    done.set_sequence(iteration);
    done.mutable_step_done();
    watch.on_answer(WorkerId{1}, done);
    begin_iteration();
  }
  void run_until(double time_s) {
    queue.at(time_s, [] {});
    while (queue.now_s() < time_s && queue.run_next()) {
    }
  }
};

TEST(ProgressWatch, WithoutAnIterationInAPeriodTheObstacleIsNamed) {
  World world;
  world.progress.require();
  world.run_until(9.9);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
  world.run_until(11);
  EXPECT_EQ(world.watch.violation(),
            "progress: no iteration for 10 s (train): no worker has received a command");
}

TEST(ProgressWatch, AnIterationIsRequiredInEveryPeriod) {
  World world;
  world.progress.require();
  world.queue.at(9, [&] { world.commit(); });
  world.run_until(19);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
  world.run_until(21);
  EXPECT_EQ(world.watch.violation(),
            "progress: no iteration for 10 s (train): step (command 2) waits for worker 1");
}

TEST(ProgressWatch, ProgressIsNotCheckedBeforeItIsRequired) {
  World world;
  world.run_until(100);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
}

}  // namespace progress_watch_test
}  // namespace surety::sim
