// The control stream over a real socket on loopback.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/posix/route.h"
#include "base/posix/wait_testing.h"
#include "fabric/sockets/socket_transport.h"
#include "proto/surety.grpc.pb.h"
#include "runtime/control/control_client.h"
#include "runtime/control/control_server.h"
#include "runtime/control/events_testing.h"

namespace surety::runtime {
namespace control_posix_test {

class Control : public ::testing::Test {
 protected:
  void SetUp() override {
    ControlServerOptions options;
    options.token = "secret";
    options.job.set_model("logistic");
    options.node_types = {"on-demand", "spot"};
    auto started = serve_control(options, events_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  Result<std::unique_ptr<ControlClient>> join(const std::string& token,
                                              const std::string& type = "") {
    ControlClientOptions options;
    options.address = server_->address();
    options.hello.set_token(token);
    options.hello.set_host("here");
    options.hello.set_node_type(type);
    options.wake = [] {};
    return connect_control(std::move(options), posix::kTestPatience);
  }

  Inbox<ConnectionEvent> events_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(Control, AWorkerSaysHelloAndIsSentCommands) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->hello.host(), "here");
  proto::ToWorker command;
  command.set_sequence(7);
  command.mutable_bye()->set_reason("test");
  server_->send(opened->connection, command);
  const auto received = (*client)->inbox().take(posix::kTestPatience);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->sequence(), 7u);
}

TEST_F(Control, AWrongTokenIsNoEventAndEndsTheStream) {
  auto client = join("guess");
  ASSERT_TRUE(client);
  // The stream was closed; this is not a timeout.
  EXPECT_EQ((*client)->inbox().take(posix::kTestPatience), std::nullopt);
  ASSERT_TRUE((*client)->ended());
  EXPECT_EQ((*client)->ended()->code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(events_.take());
}

TEST_F(Control, AWorkerThatCannotBeReachedIsRefusedWithItsAddress) {
  ControlClientOptions options;
  options.address = server_->address();
  options.hello.set_token("secret");
  options.hello.set_transport_address("127.0.0.1:1");  // Nothing listens on this port.
  options.wake = [] {};
  const auto client = connect_control(std::move(options), posix::kTestPatience);
  ASSERT_TRUE(client);
  EXPECT_EQ((*client)->inbox().take(posix::kTestPatience), std::nullopt);
  ASSERT_TRUE((*client)->ended());
  EXPECT_EQ((*client)->ended()->code, ErrorCode::kInvalidInput);
  EXPECT_THAT((*client)->ended()->message,
              testing::AllOf(testing::HasSubstr("127.0.0.1:1"), testing::HasSubstr("--advertise")));
  EXPECT_FALSE(events_.take());
}

TEST_F(Control, AWorkerThatListensIsWelcome) {
  ControlClientOptions options;
  options.address = server_->address();
  options.hello.set_token("secret");
  options.hello.set_transport_address(server_->address());
  options.wake = [] {};
  const auto client = connect_control(std::move(options), posix::kTestPatience);
  ASSERT_TRUE(client);
  EXPECT_TRUE(next_event<ConnectionOpened>(events_));
}

// A worker at a Unix socket, which takes part by calling `server`. Returns whether it was admitted.
bool admits_unix_worker(const ControlServer& server, Inbox<ConnectionEvent>& events,
                        std::string& why) {
  const auto transport = fabric::make_socket_transport({}).value();
  ControlClientOptions options;
  options.address = "127.0.0.1" + server.address().substr(server.address().rfind(':'));
  options.hello.set_token("secret");
  options.hello.set_transport_address(transport->address());
  options.wake = [] {};
  const auto client = connect_control(std::move(options), posix::kTestPatience);
  SURETY_CHECK(client.has_value());
  for (const Time end = posix::now() + posix::kTestPatience; posix::now() < end;) {
    if (const auto event = events.take(std::chrono::milliseconds(10))) {
      return std::holds_alternative<ConnectionOpened>(*event);
    }
    if (const auto ended = (*client)->ended()) {
      why = ended->message;
      return false;
    }
  }
  return false;
}

TEST_F(Control, AUnixSocketIsAnAddressOnlyWhereAllWorkersAreOnThisMachine) {
  std::string why;
  EXPECT_TRUE(admits_unix_worker(*server_, events_, why)) << why;
  Inbox<ConnectionEvent> events;
  const auto everywhere = serve_control({.listen = "0.0.0.0:0", .token = "secret"}, events);
  ASSERT_TRUE(everywhere);
  // A machine without a network has loopback addresses only.
  const bool is_alone = posix::is_loopback(posix::own_address());
  EXPECT_EQ(admits_unix_worker(**everywhere, events, why), is_alone) << why;
  if (!is_alone) EXPECT_THAT(why, testing::HasSubstr("it has joined by a loopback address"));
}

TEST_F(Control, AHostNameThatMeansThisMachineIsALoopbackAddress) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control({.listen = "localhost:0", .token = "secret"}, events);
  ASSERT_TRUE(server);
  std::string why;
  EXPECT_TRUE(admits_unix_worker(**server, events, why)) << why;
}

TEST_F(Control, WhereItListensEverywhereItsAddressIsOneOfTheMachine) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control({.listen = "0.0.0.0:0", .token = "secret"}, events);
  ASSERT_TRUE(server);
  EXPECT_TRUE((*server)->address().starts_with(posix::own_address() + ":"));
}

TEST_F(Control, HeartbeatsComeByThemselves) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto message = next_event<ConnectionMessage>(events_);
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->message.has_heartbeat());
}

TEST_F(Control, AWorkerThatIsGoneIsReported) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  client->reset();
  const auto closed = next_event<ConnectionClosed>(events_);
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->connection, opened->connection);
}

TEST_F(Control, AClosedConnectionEndsAfterWhatWasQueued) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  proto::ToWorker bye;
  bye.mutable_bye()->set_reason("done");
  server_->send(opened->connection, bye);
  server_->close(opened->connection);
  const auto received = (*client)->inbox().take(posix::kTestPatience);
  ASSERT_TRUE(received);
  EXPECT_TRUE(received->has_bye());
  EXPECT_TRUE(next_event<ConnectionClosed>(events_));
}

// A process that was stopped keeps its connection open, and receives nothing.
TEST_F(Control, AClosedConnectionEndsAlsoIfItsWorkerReceivesNothing) {
  const auto stub = proto::Coordinator::NewStub(
      grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->Session(&context);
  proto::FromWorker hello;
  hello.mutable_hello()->set_token("secret");
  ASSERT_TRUE(stream->Write(hello));
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  proto::ToWorker long_command;
  long_command.mutable_bye()->set_reason(std::string(1 << 20, 'x'));
  for (int i = 0; i < 32; ++i) server_->send(opened->connection, long_command);
  server_->close(opened->connection);
  EXPECT_TRUE(next_event<ConnectionClosed>(events_));
  context.TryCancel();
}

TEST_F(Control, APortInUseIsRefusedWithAdvice) {
  const auto second = check_listen(server_->address());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(second.error().message, ::testing::HasSubstr("--set cluster.listen"));
}

proto::DescribeRequest request(const std::string& token, const std::string& type = "") {
  proto::DescribeRequest request;
  request.set_token(token);
  request.set_node_type(type);
  return request;
}

TEST_F(Control, DescribeTellsTheModelOnlyToWhoKnowsTheToken) {
  const auto job = describe_job(server_->address(), request("secret"), posix::kTestPatience);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->model(), "logistic");
  EXPECT_FALSE(describe_job(server_->address(), request("guess"), posix::kTestPatience));
}

TEST_F(Control, ANodeTypeThatTheJobHasNotIsRefusedWithThoseItHas) {
  EXPECT_TRUE(describe_job(server_->address(), request("secret", "spot"), posix::kTestPatience));
  const auto refused =
      describe_job(server_->address(), request("secret", "spto"), posix::kTestPatience);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message,
              ::testing::HasSubstr("no node type spto; its types are on-demand, spot"));
  auto client = join("secret", "spto");
  ASSERT_TRUE(client);
  EXPECT_EQ((*client)->inbox().take(posix::kTestPatience), std::nullopt);
  EXPECT_FALSE(events_.take());
}

}  // namespace control_posix_test
}  // namespace surety::runtime
