// A story with an expected trace: two of four workers die, one of them during a hand-over. One
// worker joins and one leaves.
#include <gtest/gtest.h>

#include "elastic/ownership/directory.h"
#include "elastic/ownership/directory_test.h"

namespace surety::elastic {
namespace directory_story_test {

// Calls a directory as a coordinator would, and records what happened.
class Story {
 public:
  Story(std::uint32_t chunks, std::uint32_t samples) : directory_(sizes(chunks, samples)) {}

  void join(std::uint32_t worker) {
    add_line(fmt::format("worker {} joins", worker));
    directory_.join(WorkerId{worker});
  }
  void leave(std::uint32_t worker) {
    add_line(fmt::format("worker {} leaves", worker));
    directory_.leave(WorkerId{worker});
  }
  void lose(std::uint32_t worker) {
    add_line(fmt::format("worker {} dies", worker));
    directory_.lose(WorkerId{worker});
  }
  void boundary() {
    const Boundary boundary = directory_.boundary({});
    add_line("boundary: " + boundary.reason.substr(0, boundary.reason.find(';')));
    for (const Grant& grant : boundary.grants) {
      const auto from = grant.from ? fmt::format("worker {}", grant.from->value) : "its source";
      senders_[grant.chunk] = grant.from;
      add_line(
          fmt::format("  chunk {} from {} to worker {}", grant.chunk.value, from, grant.to.value));
    }
  }
  void confirm_all() {
    for (const Grant& grant : directory_test::pending_grants(directory_.entries())) {
      if (!grant.from && senders_.at(grant.chunk)) {
        add_line(fmt::format("  chunk {} lost its sender", grant.chunk.value));
      }
      directory_.confirm(grant);
    }
    add_owners();
  }
  void iteration(std::uint32_t quota) {
    std::string done;
    const auto work = directory_.work(quota);
    for (const auto& [worker, pieces] : work) {
      for (const Work& piece : pieces) {
        done += fmt::format(" {}:{}[{},{})", worker.value, piece.chunk.value, piece.first,
                            piece.first + piece.count);
      }
    }
    directory_.commit(work);
    add_line(fmt::format("iteration:{}; {} left", done, directory_.samples_left()));
  }
  void add_owners() {
    std::string owners;
    for (const Entry& entry : directory_.entries()) {
      owners += entry.state == Ownership::kOwned ? fmt::format(" {}", entry.owner.value) : " -";
    }
    add_line("owners:" + owners);
  }

  const std::string& trace() const { return trace_; }

 private:
  static std::vector<ChunkSize> sizes(std::uint32_t chunks, std::uint32_t samples) {
    std::vector<ChunkSize> sizes;
    for (std::uint32_t i = 0; i < chunks; ++i) {
      sizes.push_back({.id = ChunkId{i}, .samples = samples, .bytes = 100});
    }
    return sizes;
  }
  void add_line(const std::string& line) { trace_ += line + "\n"; }

  Directory directory_;
  std::map<ChunkId, std::optional<WorkerId>> senders_;  // Senders of the last grant of each chunk.
  std::string trace_ = "\n";
};

constexpr const char* kExpected = R"(
worker 1 joins
worker 2 joins
worker 3 joins
worker 4 joins
boundary: 8 without an owner
  chunk 0 from its source to worker 1
  chunk 1 from its source to worker 2
  chunk 2 from its source to worker 3
  chunk 3 from its source to worker 4
  chunk 4 from its source to worker 1
  chunk 5 from its source to worker 2
  chunk 6 from its source to worker 3
  chunk 7 from its source to worker 4
owners: 1 2 3 4 1 2 3 4
iteration: 1:0[0,10) 2:1[0,10) 3:2[0,10) 4:3[0,10); 40 left
worker 5 joins
boundary: 1 to fill new workers
  chunk 0 from worker 1 to worker 5
worker 1 dies
  chunk 0 lost its sender
owners: 5 2 3 4 - 2 3 4
boundary: 1 without an owner
  chunk 4 from its source to worker 5
owners: 5 2 3 4 5 2 3 4
iteration: 2:5[0,5) 3:6[0,5) 4:7[0,5) 5:4[0,5); 20 left
worker 3 leaves
boundary: 2 of leaving workers
  chunk 6 from worker 3 to worker 2
  chunk 2 from worker 3 to worker 4
worker 4 dies
owners: 5 2 3 - 5 2 2 -
boundary: 2 without an owner, 1 of leaving workers
  chunk 7 from its source to worker 5
  chunk 3 from its source to worker 5
  chunk 2 from worker 3 to worker 2
owners: 5 2 2 5 5 2 2 5
iteration: 2:5[5,10) 2:6[5,10) 5:4[5,10) 5:7[5,10); 0 left
)";

// `-`: the chunk has no owner.
TEST(DirectoryStory, TwoOfFourDieOneJoinsOneLeaves) {
  Story story(8, 10);
  for (const std::uint32_t worker : {1, 2, 3, 4}) story.join(worker);
  story.boundary();
  story.confirm_all();
  story.iteration(10);

  story.join(5);
  story.boundary();
  // Worker 1 is the sender: its grant stands, but the state is lost.
  story.lose(1);
  story.confirm_all();
  story.boundary();
  story.confirm_all();
  story.iteration(5);

  story.leave(3);
  story.boundary();
  // Worker 4 is a receiver: the chunk goes back to the leaver, with its state.
  story.lose(4);
  story.confirm_all();
  story.boundary();
  story.confirm_all();
  story.iteration(20);
  EXPECT_EQ(story.trace(), kExpected);
}

}  // namespace directory_story_test
}  // namespace surety::elastic
