// The control stream over real sockets: Unix sockets, and TLS on loopback.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/crypto/authority.h"
#include "base/posix/clock.h"
#include "base/posix/fd.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/wait_testing.h"
#include "fabric/sockets/socket_transport.h"
#include "proto/surety.grpc.pb.h"
#include "runtime/control/control_client.h"
#include "runtime/control/control_server.h"
#include "runtime/control/credentials.h"
#include "runtime/control/events_testing.h"

namespace surety::runtime {
namespace control_posix_test {

// The parameter is where the server listens.
class Control : public ::testing::TestWithParam<std::optional<std::string>> {
 protected:
  void SetUp() override { serve(posix::kTestPatience); }

  void serve(Duration close_takes) {
    ControlServerOptions options;
    options.close_takes = close_takes;
    options.token = "secret";
    options.job.set_model("logistic");
    options.rules.node_types = {"on-demand", "spot"};
    auto started = serve_control(GetParam(), options, events_);
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

  // A channel for a worker that does not follow the rules.
  std::shared_ptr<grpc::Channel> channel() const {
    grpc::ChannelArguments arguments;
    const auto credentials = GetParam() ? worker_credentials(worker_keys("secret"), arguments)
                                        : grpc::InsecureChannelCredentials();
    return grpc::CreateCustomChannel(server_->address(), credentials, arguments);
  }

  Inbox<ConnectionEvent> events_;
  std::unique_ptr<ListeningServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Sockets, Control,
                         ::testing::Values(std::nullopt, std::optional("127.0.0.1:0")),
                         [](const auto& test) { return test.param ? "Tls" : "Unix"; });

TEST_P(Control, AWorkerSaysHelloAndIsSentCommands) {
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

TEST_P(Control, AWrongTokenIsNoEvent) {
  auto client = join("guess");
  EXPECT_FALSE(events_.take());
  if (GetParam()) {  // It has no certificate that the server accepts.
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(client.error().message, testing::HasSubstr("does not have this token"));
    return;
  }
  ASSERT_TRUE(client);
  // The stream was closed; this is not a timeout.
  EXPECT_EQ((*client)->inbox().take(posix::kTestPatience), std::nullopt);
  ASSERT_TRUE((*client)->ended());
  EXPECT_EQ((*client)->ended()->code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(events_.take());
}

TEST_P(Control, AWorkerThatCannotBeReachedIsRefusedWithItsAddress) {
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

TEST_P(Control, AWorkerThatListensIsWelcome) {
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
bool admits_unix_worker(const ListeningServer& server, Inbox<ConnectionEvent>& events,
                        std::string& why) {
  const auto transport = fabric::make_socket_transport({}).value();
  ControlClientOptions options;
  options.address = server.address();
  if (!options.address.starts_with(posix::kUnixPrefix)) {
    options.address = "127.0.0.1" + options.address.substr(options.address.rfind(':'));
  }
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

TEST(ControlAddress, AUnixSocketIsAnAddressOnlyWhereAllWorkersAreOnThisMachine) {
  std::string why;
  Inbox<ConnectionEvent> events;
  for (const std::optional<std::string>& listen :
       {std::optional<std::string>(), std::optional<std::string>("127.0.0.1:0")}) {
    const auto here = serve_control(listen, {.token = "secret"}, events);
    ASSERT_TRUE(here) << here.error().message;
    EXPECT_TRUE(admits_unix_worker(**here, events, why)) << why;
    while (!std::holds_alternative<ConnectionClosed>(events.take(posix::kTestPatience).value())) {
    }
  }
  const auto everywhere = serve_control("0.0.0.0:0", {.token = "secret"}, events);
  ASSERT_TRUE(everywhere);
  // A machine without a network has loopback addresses only.
  const bool is_alone = posix::is_loopback(posix::own_address());
  EXPECT_EQ(admits_unix_worker(**everywhere, events, why), is_alone) << why;
  if (!is_alone) {
    EXPECT_THAT(why, testing::HasSubstr("it has joined by a loopback address"));
  }
}

TEST(ControlAddress, AHostNameThatMeansThisMachineIsALoopbackAddress) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control("localhost:0", {.token = "secret"}, events);
  ASSERT_TRUE(server);
  std::string why;
  EXPECT_TRUE(admits_unix_worker(**server, events, why)) << why;
}

TEST(ControlAddress, WhereItListensEverywhereItsAddressIsOneOfTheMachine) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control("0.0.0.0:0", {.token = "secret"}, events);
  ASSERT_TRUE(server);
  EXPECT_TRUE((*server)->address().starts_with(posix::own_address() + ":"));
}

TEST_P(Control, HeartbeatsComeByThemselves) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto message = next_event<ConnectionMessage>(events_);
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->message.has_heartbeat());
}

TEST_P(Control, AWorkerThatIsGoneIsReported) {
  auto client = join("secret");
  ASSERT_TRUE(client);
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  client->reset();
  const auto closed = next_event<ConnectionClosed>(events_);
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->connection, opened->connection);
}

TEST_P(Control, AClosedConnectionEndsAfterWhatWasQueued) {
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
TEST_P(Control, AClosedConnectionEndsAlsoIfItsWorkerReceivesNothing) {
  serve(std::chrono::seconds(1));
  const auto stub = proto::Coordinator::NewStub(channel());
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

TEST(ControlAddress, APortInUseIsRefusedWithAdvice) {
  Inbox<ConnectionEvent> events;
  const auto first = serve_control("127.0.0.1:0", {.token = "secret"}, events);
  ASSERT_TRUE(first);
  const auto second = check_listen((*first)->address());
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

TEST_P(Control, DescribeTellsTheModelOnlyToWhoKnowsTheToken) {
  const auto job = describe_job(server_->address(), request("secret"), posix::kTestPatience);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->model(), "logistic");
  const auto stranger = describe_job(server_->address(), request("guess"), posix::kTestPatience);
  ASSERT_FALSE(stranger);  // It was refused at once, and not after its patience.
  EXPECT_EQ(stranger.error().code, ErrorCode::kInvalidInput);
}

TEST_P(Control, ANodeTypeThatTheJobHasNotIsRefusedWithThoseItHas) {
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

// ---- who gets in ----

// The status that a program gets if it calls without certificates of the token.
grpc::Status call_as(const std::string& address,
                     const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  const auto stub = proto::Coordinator::NewStub(grpc::CreateChannel(address, credentials));
  grpc::ClientContext context;
  proto::JobDescription description;
  return stub->Describe(&context, request("secret"), &description);
}

TEST(ControlPort, NobodyIsHeardWithoutACertificateOfTheTokenEvenIfHeKnowsIt) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control("127.0.0.1:0", {.token = "secret"}, events);
  ASSERT_TRUE(server);
  const std::string address = (*server)->address();
  EXPECT_EQ(call_as(address, grpc::InsecureChannelCredentials()).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  grpc::experimental::TlsChannelCredentialsOptions blind;  // It accepts any server.
  blind.set_verify_server_certs(false);
  blind.set_check_call_host(false);
  blind.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  EXPECT_EQ(call_as(address, grpc::experimental::TlsCredentials(blind)).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

// Returns the error that a worker with this token gets from a server with these credentials.
std::string told_by(const std::shared_ptr<grpc::ServerCredentials>& credentials) {
  proto::Coordinator::Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", credentials, &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  const auto described =
      describe_job(fmt::format("127.0.0.1:{}", port), request("secret"), posix::kTestPatience);
  return described ? "believed" : described.error().message;
}

TEST(ControlPort, AWorkerBelievesNoCoordinatorWithoutTheToken) {
  EXPECT_THAT(told_by(coordinator_credentials("guess")),
              testing::HasSubstr("does not have this token"));
  EXPECT_THAT(told_by(grpc::InsecureServerCredentials()),
              testing::HasSubstr("does not have this token"));
}

TEST(ControlPort, AWorkersCertificateIsNoneOfACoordinator) {
  const crypto::Authority authority("secret");
  const crypto::Identity worker = authority.issue_client();
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::StaticDataCertificateProvider>(
          authority.certificate(), std::vector<grpc::experimental::IdentityKeyCertPair>{
                                       {worker.private_key, worker.certificate}}));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  EXPECT_THAT(told_by(grpc::experimental::TlsServerCredentials(options)),
              testing::HasSubstr("does not have this token"));
}

// One connection proves nothing. Another one has proved that it has the token, but sends no Hello.
TEST(ControlPort, WhoDoesNotGreetInTimeIsCutOff) {
  Inbox<ConnectionEvent> events;
  const auto server = serve_control(
      "127.0.0.1:0", {.token = "secret", .greeting_takes = std::chrono::milliseconds(300)}, events);
  ASSERT_TRUE(server);
  grpc::ChannelArguments arguments;
  const auto credentials = worker_credentials(worker_keys("secret"), arguments);
  const auto stub = proto::Coordinator::NewStub(
      grpc::CreateCustomChannel((*server)->address(), credentials, arguments));
  grpc::ClientContext context;
  const auto stream = stub->Session(&context);
  proto::ToWorker nothing;
  EXPECT_FALSE(stream->Read(&nothing));  // Otherwise this call would never return.
  EXPECT_FALSE(stream->Finish().ok());
  const posix::SocketAddress address = posix::parse_socket_address((*server)->address()).value();
  const posix::Fd idle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(idle.get(), address.get(), address.length), 0);
  char byte = 0;
  EXPECT_LE(::recv(idle.get(), &byte, 1, 0), 0);
  EXPECT_FALSE(events.take());
}

// ---- Unix sockets ----

TEST(ControlSocket, AServerTakesThePlaceOfOneThatWasKilledAndNotOfOneThatLives) {
  Inbox<ConnectionEvent> events;
  auto first = serve_control(std::nullopt, {.token = "secret"}, events);
  ASSERT_TRUE(first);
  const std::string address = (*first)->address();
  EXPECT_FALSE(serve_control(address, {.token = "secret"}, events));
  EXPECT_TRUE(describe_job(address, request("secret"), posix::kTestPatience));
  first->reset();
  const auto second = serve_control(address, {.token = "secret"}, events);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ((*second)->address(), address);
  EXPECT_TRUE(describe_job(address, request("secret"), posix::kTestPatience));
}

}  // namespace control_posix_test
}  // namespace surety::runtime
