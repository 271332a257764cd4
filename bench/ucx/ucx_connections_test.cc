#include "bench/ucx/ucx_connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/posix/socket_address.h"
#include "bench/ucx/ucx_frames.h"

namespace surety::fabric {
namespace ucx_connections_posix_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = UcxConnection::State;

// Connections to a port on which nobody listens. UCX finds this out only in progress().
class Connections : public ::testing::Test {
 protected:
  Connections()
      : target(posix::parse_socket_address("127.0.0.1:1").value()),
        context(UcxContext::make("lo").value()),
        connections(*context),
        frames({}, *context, connections, events) {
    params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
    params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
    params.sockaddr = {.addr = target.get(), .addrlen = target.length};
  }
  ~Connections() override {
    connections.fail_all("closed");
    close_all();
  }
  void close_all() {
    while (!connections.empty()) {
      context->progress();
      connections.close_failed(events);
    }
  }
  [[nodiscard]] std::vector<PeerId> lost() const {
    std::vector<PeerId> peers;
    for (const TransportEvent& event : events) {
      if (const auto* loss = std::get_if<PeerLost>(&event)) peers.push_back(loss->peer);
    }
    return peers;
  }
  const posix::SocketAddress target;
  std::unique_ptr<UcxContext> context;
  std::vector<TransportEvent> events;
  UcxConnections connections;
  UcxFrames frames;
  ucp_ep_params_t params{};
};

TEST_F(Connections, AConnectionIsFoundByItsNumberAndByItsEndpoint) {
  UcxConnection& first = connections.open(false, params);
  UcxConnection& second = connections.open(true, params);
  EXPECT_NE(first.peer, second.peer);
  EXPECT_FALSE(first.called_us);
  EXPECT_TRUE(second.called_us);
  EXPECT_EQ(connections.find(first.peer), &first);
  EXPECT_EQ(connections.find(second.peer), &second);
  EXPECT_EQ(connections.find(second.peer + 1), nullptr);
  ASSERT_NE(second.endpoint, nullptr);
  EXPECT_EQ(connections.of_endpoint(second.endpoint), &second);
  EXPECT_EQ(connections.of_endpoint(nullptr), nullptr);
}

TEST_F(Connections, AConnectionWhoseEndpointCannotBeOpenedHasFailed) {
  params.field_mask = UCP_EP_PARAM_FIELD_FLAGS;  // There is no address.
  const UcxConnection& connection = connections.open(false, params);
  EXPECT_EQ(connection.state, State::kFailed);
  EXPECT_EQ(connection.endpoint, nullptr);
  const PeerId peer = connection.peer;
  connections.close_failed(events);
  EXPECT_EQ(connections.find(peer), nullptr);
  EXPECT_EQ(lost(), std::vector<PeerId>{peer});
}

TEST_F(Connections, OnlyAConnectionThatHasFailedIsClosed) {
  UcxConnection& first = connections.open(false, params);
  UcxConnection& second = connections.open(false, params);
  const PeerId closed = second.peer;
  const ucp_ep_h endpoint = second.endpoint;
  second.fail("a reason");
  while (connections.find(closed) != nullptr) {
    connections.close_failed(events);
    EXPECT_EQ(connections.of_endpoint(endpoint), nullptr);
    if (connections.find(closed) != nullptr) context->progress();
  }
  EXPECT_EQ(connections.find(first.peer), &first);
  const auto* loss = std::get_if<PeerLost>(&events.at(0));
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->peer, closed);
  EXPECT_EQ(loss->reason, "a reason");
  EXPECT_GT(connections.open(false, params).peer, closed);  // A number is never used again.
}

TEST_F(Connections, TheLossOfAConnectionThatNobodyKnowsIsNotReported) {
  connections.open(true, params);
  connections.fail_all("closed");
  close_all();
  EXPECT_THAT(events, IsEmpty());
}

TEST_F(Connections, TheOldestOfTooManySilentOnesIsCutOff) {
  UcxConnection& ours = connections.open(false, params);
  UcxConnection& greeted = connections.open(true, params);
  greeted.state = State::kOpen;
  UcxConnection& oldest = connections.open(true, params);
  UcxConnection& newest = connections.open(true, params);
  connections.cut_off_oldest_silent(2);
  EXPECT_TRUE(oldest.usable());
  connections.cut_off_oldest_silent(1);
  EXPECT_EQ(oldest.state, State::kFailed);
  EXPECT_EQ(oldest.reason, "no Hello arrived");
  for (const UcxConnection* other : {&ours, &greeted, &newest}) EXPECT_TRUE(other->usable());
}

TEST_F(Connections, MessagesWaitForTheHello) {
  UcxConnection& connection = connections.open(false, params);
  const std::vector<std::byte> bytes(3);
  const auto first = frames.send(connection, {.round = 5}, bytes);
  const auto second = frames.send(connection, {.round = 6}, bytes);
  EXPECT_LT(first, second);
  ASSERT_THAT(connection.before_greeting, SizeIs(2));
  EXPECT_EQ(connection.before_greeting[0].ticket, first);
  EXPECT_EQ(connection.before_greeting[0].tag.round, 5u);
  EXPECT_EQ(connection.next_to_send, 0u);
  EXPECT_EQ(connection.operations, 0u);
}

}  // namespace ucx_connections_posix_test
}  // namespace surety::fabric
