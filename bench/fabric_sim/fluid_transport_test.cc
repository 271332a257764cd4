#include "bench/fabric_sim/fluid_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::bench::sim {
namespace fluid_transport_test {

using namespace fabric;
using namespace surety::sim;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kRate = 1e6;

// Hosts with ports of 1 MB/s; the test records what each host receives and when.
class FluidTransports : public ::testing::Test {
 protected:
  struct Arrival {
    double at_s = 0;
    std::uint32_t step = 0;
  };

  FluidTransport& at(std::uint32_t host) { return links_.at(host); }
  void send(std::uint32_t from, std::uint32_t to, std::size_t bytes, std::uint32_t step = 0) {
    bytes_.resize(std::max(bytes_.size(), bytes));
    ASSERT_TRUE(at(from).send(to, {.round = 1, .sender = from, .step = step},
                              std::span(bytes_).first(bytes)));
  }
  void run(double until_s) {
    clock_.run(until_s, [this](JobId job) { links_.ended(job); });
  }
  std::vector<std::uint32_t> steps_received(std::uint32_t host) {
    std::vector<std::uint32_t> steps;
    for (const Arrival& arrival : arrivals_[host]) steps.push_back(arrival.step);
    return steps;
  }

  World world_{{.workers = 4, .servers = 0, .bytes_per_s = kRate}};
  SimulationClock clock_{world_};
  std::map<std::uint32_t, std::vector<Arrival>> arrivals_;
  std::map<std::uint32_t, std::vector<double>> sent_s_;
  FluidLinks links_{clock_,
                    4,
                    {.latency_s = 0.001, .bytes_per_byte = 1.25, .socket_bytes = 3000},
                    [this](std::uint32_t host) { listen(host); }};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 20);

 private:
  void listen(std::uint32_t host) {
    for (const TransportEvent& event : at(host).poll({})) {
      const auto* received = std::get_if<Received>(&event);
      if (received == nullptr) {
        sent_s_[host].push_back(clock_.now_s());
      } else {
        arrivals_[host].push_back({clock_.now_s(), received->tag.step});
      }
    }
  }
};

TEST_F(FluidTransports, MessageTakesItsBytesWithHeadersAndTheLatency) {
  send(0, 1, 100'000);
  run(1);
  ASSERT_EQ(arrivals_[1].size(), 1u);
  EXPECT_NEAR(arrivals_[1][0].at_s, 0.125 + 0.001, 1e-6);
}

TEST_F(FluidTransports, ConnectionsShareAPortFairly) {
  send(0, 3, 100'000);
  send(1, 3, 100'000);
  send(2, 1, 100'000);  // It uses another port.
  run(1);
  EXPECT_NEAR(arrivals_[3][0].at_s, 0.251, 1e-6);
  EXPECT_NEAR(arrivals_[3][1].at_s, 0.251, 1e-6);
  EXPECT_NEAR(arrivals_[1][0].at_s, 0.126, 1e-6);
}

TEST_F(FluidTransports, SmallMessageWaitsForTheLargeOneBeforeItOnItsConnectionOnly) {
  send(0, 1, 100'000, 1);
  send(0, 1, 10, 2);
  send(0, 2, 10, 3);
  run(1);
  EXPECT_THAT(steps_received(1), ElementsAre(1, 2));
  EXPECT_THAT(steps_received(2), ElementsAre(3));
  EXPECT_LT(arrivals_[2][0].at_s, 0.002);
}

TEST_F(FluidTransports, MessageIsSentWhenTheSocketHasIt) {
  send(0, 1, 2000);  // It fits into the socket of 3,000 bytes.
  send(0, 1, 1000);  // The socket is full with it.
  send(0, 1, 1000);  // It waits until the first one has left: 2.5 ms.
  run(1);
  ASSERT_EQ(sent_s_[0].size(), 3u);
  EXPECT_DOUBLE_EQ(sent_s_[0][1], 0);
  EXPECT_NEAR(sent_s_[0][2], 0.0025, 1e-6);
}

TEST_F(FluidTransports, MessageLargerThanTheSocketIsSentAlone) {
  send(0, 1, 10'000);
  run(1);
  EXPECT_EQ(arrivals_[1].size(), 1u);
}

TEST_F(FluidTransports, EmptyMessageArrives) {
  send(0, 1, 0, 5);
  run(1);
  EXPECT_THAT(steps_received(1), ElementsAre(5));
}

TEST_F(FluidTransports, NothingComesFromAPeerThatWasForgotten) {
  send(0, 1, 1000);
  send(1, 0, 1000);
  run(0.0015);  // The bytes have left; the latency is not over.
  at(1).disconnect(0);
  send(0, 1, 1000);
  run(1);
  EXPECT_THAT(arrivals_[1], IsEmpty());
  EXPECT_FALSE(at(1).send(0, {}, std::span(bytes_).first(1)));
}

TEST_F(FluidTransports, PortsCountWhatHasPassedThemWithHeaders) {
  send(0, 1, 100'000);
  run(0.0625);  // Half of the message.
  EXPECT_NEAR(static_cast<double>(at(0).port_bytes()->out), 62'500, 2);
  EXPECT_NEAR(static_cast<double>(at(1).port_bytes()->in), 62'500, 2);
  EXPECT_EQ(at(1).port_bytes()->out, 0u);
}

TEST_F(FluidTransports, OnlyHostsHaveAddresses) {
  EXPECT_EQ(*at(1).connect(at(3).address()), 3u);
  EXPECT_FALSE(at(1).connect("fluid:9"));
  EXPECT_FALSE(at(1).connect("fluid:1x"));
  EXPECT_FALSE(at(1).connect("memory:1"));
}

}  // namespace fluid_transport_test
}  // namespace surety::bench::sim
