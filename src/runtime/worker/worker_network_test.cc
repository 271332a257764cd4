#include "runtime/worker/worker_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "test/support/fabric/transport/memory_transport.h"

namespace surety::runtime {
namespace worker_network_test {

using ::testing::ElementsAre;

// Workers 0 to count-1, which know each other's addresses.
class Workers {
 public:
  explicit Workers(std::uint32_t count) {
    for (std::uint32_t w = 0; w < count; ++w) {
      transports.push_back(memory.make());
      networks.push_back(std::make_unique<WorkerNetwork>(*transports.back()));
      networks.back()->rejoin(WorkerId{w});
    }
    for (const auto& network : networks) {
      for (std::uint32_t w = 0; w < count; ++w) {
        proto::Peer peer;
        peer.set_worker(w);
        peer.set_address(transports[w]->address());
        network->know(peer);
      }
    }
  }

  void send(std::uint32_t from, std::uint32_t to, std::uint64_t sequence) {
    ASSERT_TRUE(networks[from]->send_blob(WorkerId{to}, {.round = sequence, .step = 1},
                                          std::vector<std::byte>(3), 0));
  }
  std::vector<worker::NetworkEvent> poll(std::uint32_t of) {
    std::vector<worker::NetworkEvent> events;
    networks[of]->poll(Duration::zero(),
                       [&](worker::NetworkEvent event) { events.push_back(std::move(event)); });
    return events;
  }
  // Workers to whom a blob of this one was sent.
  std::vector<std::uint32_t> sent(std::uint32_t by) {
    std::vector<std::uint32_t> to;
    for (const worker::NetworkEvent& event : poll(by)) {
      if (const auto* one = std::get_if<worker::BlobSent>(&event)) to.push_back(one->to.value);
    }
    return to;
  }
  void join(std::uint32_t of, const std::vector<WorkerId>& members, std::vector<float> values) {
    networks[of]->join_round({.sequence = 1,
                              .members = members,
                              .kind = worker::RoundSum{.weights = std::vector(members.size(), 1.f)},
                              .version = ""},
                             std::move(values));
  }
  // Who is blamed for the end of this worker's round; absent if it has not failed.
  std::optional<std::uint32_t> blamed_by(std::uint32_t of) {
    for (const worker::NetworkEvent& event : poll(of)) {
      if (const auto* failed = std::get_if<worker::RoundFailed>(&event)) {
        return failed->blamed.value;
      }
    }
    return std::nullopt;
  }

  fabric::MemoryNetwork memory;
  std::vector<std::unique_ptr<fabric::MemoryTransport>> transports;
  std::vector<std::unique_ptr<WorkerNetwork>> networks;
};

// Worker 2 was stopped: it receives nothing, and its connection stays open.
TEST(WorkerNetwork, ABlobIsReportedAsSentWhileAnotherRecipientReceivesNothing) {
  Workers workers(3);
  workers.send(0, 2, 1);
  workers.send(0, 1, 2);
  workers.poll(1);
  EXPECT_THAT(workers.sent(0), ElementsAre(1u));
  workers.poll(2);
  EXPECT_THAT(workers.sent(0), ElementsAre(2u));
}

TEST(WorkerNetwork, ABlobWhoseConnectionIsLostIsNotReportedAsSent) {
  Workers workers(2);
  workers.send(0, 1, 1);
  workers.memory.cut(*workers.transports[0], *workers.transports[1], "a cable");
  const std::vector<worker::NetworkEvent> events = workers.poll(0);
  const auto is = [&]<typename Event>(Event*) {
    return std::ranges::any_of(
        events, [](const auto& event) { return std::holds_alternative<Event>(event); });
  };
  EXPECT_TRUE(is(static_cast<worker::WorkerLost*>(nullptr)));
  EXPECT_FALSE(is(static_cast<worker::BlobSent*>(nullptr)));
  EXPECT_THAT(workers.sent(0), ElementsAre());
}

TEST(WorkerNetwork, ARoundThatCannotBeginBlamesWhoCannotBeReached) {
  Workers workers(3);
  workers.transports[1].reset();
  workers.join(0, {WorkerId{0}, WorkerId{1}, WorkerId{2}}, {1, 2, 3});
  EXPECT_EQ(workers.blamed_by(0), 1u);
}

TEST(WorkerNetwork, ARoundBlamesTheMemberThatSentNonsense) {
  Workers workers(2);
  const std::vector<WorkerId> members{WorkerId{0}, WorkerId{1}};
  workers.join(1, members, {std::numeric_limits<float>::quiet_NaN(), 2});
  workers.join(0, members, {1, 2});
  workers.poll(1);
  EXPECT_EQ(workers.blamed_by(0), 1u);
}

TEST(WorkerNetwork, ARoundDoesNotBlameAWorkerThatIsNoMember) {
  Workers workers(3);
  const std::vector<WorkerId> members{WorkerId{0}, WorkerId{1}};
  workers.send(0, 2, 1);
  workers.join(0, members, {1, 2});
  workers.memory.cut(*workers.transports[0], *workers.transports[1], "a cable");
  workers.memory.cut(*workers.transports[0], *workers.transports[2], "a cable");
  EXPECT_EQ(workers.blamed_by(0), 1u);
}

}  // namespace worker_network_test
}  // namespace surety::runtime
