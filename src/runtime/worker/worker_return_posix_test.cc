// A worker that loses its coordinator, on real sockets: what it keeps, which coordinator it calls,
// and when it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <utility>

#include "base/check.h"
#include "base/posix/net/ports_testing.h"
#include "base/posix/signals.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "data/posix/open.h"
#include "data/sources/source_info.h"
#include "fabric/allreduce/round.h"
#include "fabric/sockets/socket_transport.h"
#include "learn/linear/task_factory.h"
#include "protocol/messages.h"
#include "runtime/control/control_server.h"
#include "runtime/control/events_testing.h"
#include "runtime/worker/alone_transport.h"
#include "runtime/worker/worker.h"
#include "runtime/worker/worker_host.h"

namespace surety::runtime {
namespace worker_return_posix_test {

using ::testing::HasSubstr;

constexpr const char* kToken = "secret";

proto::Welcome welcome_of(std::uint32_t worker, std::uint32_t term) {
  proto::Welcome welcome;
  welcome.set_worker(worker);
  welcome.set_term(term);
  welcome.set_run("run 1");
  return welcome;
}

// ---- what it keeps ------------------------------------------------------------------------------

class Keeps : public ::testing::Test {
 protected:
  Keeps() {
    const std::string file = (folder_.path() / "rows.svm").string();
    std::ofstream(file) << "+1 1:1 2:2\n-1 1:-1\n+1 2:1\n-1 2:-2\n";
    source_ =
        data::inspect(data::parse_url("libsvm://" + file).value(), data::local_files()).value();
    source_.url = "libsvm://" + file;
    WorkerHostOptions options{
        .factory = learn::glm_only(),
        .open =
            [this](const std::string& path) {
              ++opened_;
              before_open_();
              return data::local_files()(path);
            },
        .answer = [this](const proto::FromWorker& answer) { answer_ = answer; }};
    host_.emplace(std::move(options), transport_);
    host_->on_welcome(welcome(3, 1), false);
  }

  std::optional<proto::FromWorker> handle(const proto::ToWorker& command) {
    answer_.reset();
    host_->on_command(command);
    EXPECT_TRUE(posix::wait_until({.what = "an answer",
                                   .holds =
                                       [this] {
                                         host_->poll(std::chrono::milliseconds(50));
                                         return answer_.has_value();
                                       },
                                   .pause = {}}));
    return answer_;
  }

  proto::Welcome welcome(std::uint32_t worker, std::uint32_t term) const {
    proto::Welcome welcome = welcome_of(worker, term);
    *welcome.add_sources() = protocol::to_proto(source_);
    return welcome;
  }

  // A fresh model, and all chunks.
  proto::ToWorker prepare_all(std::uint64_t sequence) const {
    proto::ToWorker prepare;
    prepare.set_sequence(sequence);
    proto::Prepare& order = *prepare.mutable_prepare();
    order.set_session(1);
    order.mutable_model()->set_fresh(true);
    proto::TaskOptions& task = *order.mutable_task();
    task.set_model("logistic");
    *task.mutable_schema() = protocol::to_proto(source_.schema);
    task.set_samples(4);
    task.set_lambda(0.25);
    for (const data::ChunkRange& range : data::cut({source_}, 1 << 10, 2)) {
      *order.add_grants()->mutable_range() = protocol::to_proto(range);
      order.add_owned(range.id.value);
    }
    return prepare;
  }

  // Prepares with all chunks, then learns one iteration. Returns the model's checksum.
  std::uint64_t learn(std::uint64_t sequence, std::uint32_t worker) {
    proto::ToWorker step;
    step.set_sequence(sequence + 1);
    for (const data::ChunkRange& range : data::cut({source_}, 1 << 10, 2)) {
      proto::WorkItem& item = *step.mutable_step()->add_items();
      item.set_chunk(range.id.value);
      item.set_count(range.count);
    }
    EXPECT_TRUE(handle(prepare_all(sequence))->has_prepared());
    step.mutable_step()->set_iteration(1);
    step.mutable_step()->set_tasks(1);
    step.mutable_step()->set_tasks_per_node(1);
    step.mutable_step()->add_members()->set_worker(worker);
    step.mutable_step()->add_weights(1);
    const auto done = handle(step);
    EXPECT_TRUE(done && done->has_step_done()) << (done ? done->failed().message() : "");
    return done ? done->step_done().model_checksum() : 0;
  }

  posix::TemporaryFolder folder_;
  data::SourceInfo source_;
  std::atomic<int> opened_ = 0;
  std::function<void()> before_open_ = [] {};
  AloneTransport transport_;
  std::optional<proto::FromWorker> answer_;
  std::optional<WorkerHost> host_;
};

TEST_F(Keeps, AnotherCoordinatorFindsTheSamplesAndNothingElse) {
  const std::uint64_t learned = learn(1, 3);
  const int opened = opened_;
  EXPECT_GT(opened, 0);
  host_->on_welcome(welcome(8, 2), true);
  EXPECT_EQ(host_->chunks().size(), data::cut({source_}, 1 << 10, 2).size());
  // The session number is the same, but the session is new. It starts from the fresh model, has
  // learned from no sample, and gives the same bytes.
  EXPECT_EQ(learn((1ull << 32) + 1, 8), learned);
  EXPECT_EQ(opened_, opened);
}

// The numbers of the commands of another run begin again, too.
TEST_F(Keeps, AnotherRunFindsNothingAndWorksLikeTheFirstOne) {
  const std::uint64_t learned = learn((1ull << 32) + 1, 3);
  const int opened = opened_;
  proto::Welcome other = welcome(3, 1);
  other.set_run("run 2");
  host_->on_welcome(other, false);
  EXPECT_TRUE(host_->chunks().empty());
  EXPECT_EQ(learn(1, 3), learned);
  EXPECT_GT(opened_, opened);
}

// A file on a network drive may take minutes, and cannot be abandoned half-way.
TEST_F(Keeps, ARunThatBeginsDoesNotWaitForAComputationOfTheLastOneThatCannotBeStopped) {
  std::promise<void> reads;
  std::promise<void> may_go_on;
  before_open_ = [&, is_first = true]() mutable {
    if (!std::exchange(is_first, false)) return;
    reads.set_value();
    may_go_on.get_future().wait();
  };
  host_->on_command(prepare_all(1));
  reads.get_future().wait();
  proto::Welcome other = welcome(3, 1);
  other.set_run("run 2");
  host_->on_welcome(other, false);
  EXPECT_TRUE(host_->chunks().empty());
  host_->on_coordinator_lost();
  may_go_on.set_value();
  EXPECT_NE(learn(1, 3), 0u);
}

// ---- whom it calls ------------------------------------------------------------------------------

class Calls : public ::testing::Test {
 protected:
  Calls() {
    posix::count_stop_signals();
    serve(fmt::format("127.0.0.1:{}", port_.first()));
    options_.join = server_->address();
    options_.admission = JobToken{kToken};
    options_.on_line = [this](const std::string& line) { lines_.put(line); };
  }
  ~Calls() override {
    server_.reset();
    if (ended_.valid()) ended_.wait();
  }

  void serve(const std::string& address) {
    const ControlServerOptions options{.token = kToken, .job = {}};
    // A connection that is being closed may still hold the port.
    EXPECT_TRUE(posix::wait_until("a port to listen on", [&] {
      Result<std::unique_ptr<ListeningServer>> server = serve_control(address, options, events_);
      if (server) server_ = std::move(*server);
      return server.has_value();
    }));
    SURETY_CHECK(server_ != nullptr);
  }

  void start() {
    ended_ = std::async(std::launch::async, [this] { return run_worker(options_, factory_); });
  }

  proto::Hello next_hello() {
    auto opened = next_event<ConnectionOpened>(events_, "a worker that calls");
    if (!opened) return {};
    connection_ = opened->connection;
    return opened->hello;
  }

  void tell(const proto::Welcome& welcome) {
    proto::ToWorker command;
    *command.mutable_welcome() = welcome;
    server_->send(connection_, command);
  }
  // Like tell(), and waits until the worker has received it: a worker answers an order before any
  // host with an error.
  void tell_and_wait(const proto::Welcome& welcome) {
    tell(welcome);
    proto::ToWorker order;
    order.set_sequence(1);
    order.mutable_evaluate();
    server_->send(connection_, order);
    const auto is_refused = [&] {
      const auto said = poll_event<ConnectionMessage>(events_);
      return said && said->message.has_failed();
    };
    EXPECT_TRUE(posix::wait_until(
        {.what = "the answer to an order after the welcome", .holds = is_refused, .pause = {}}));
  }
  void bye() {
    proto::ToWorker command;
    command.mutable_bye()->set_reason("the end");
    server_->send(connection_, command);
  }

  // The next line of the log that does not only state that the worker has joined.
  std::string next_line() {
    std::string line;
    do {
      line = lines_.take(posix::kTestPatience).value_or("");
    } while (line.starts_with("joined the run"));
    return line;
  }
  // The coordinator dies, and another one replaces it.
  void next_coordinator() {
    const std::string address = server_->address();
    server_.reset();
    EXPECT_THAT(next_line(), HasSubstr("calling " + address + " again"));
    serve(address);
  }

  const posix::ReservedPorts port_{1};  // The next coordinator listens on the port of the last one.
  Inbox<ConnectionEvent> events_;
  Inbox<std::string> lines_;
  std::unique_ptr<ListeningServer> server_;
  std::uint64_t connection_ = 0;
  WorkerOptions options_;
  const learn::TaskFactory factory_ = learn::glm_only();
  std::future<Result<std::string>> ended_;
};

TEST_F(Calls, TheNextCoordinatorIsToldWhoItIs) {
  start();
  EXPECT_EQ(next_hello().worker(), 0u);
  tell_and_wait(welcome_of(4, 1));
  next_coordinator();
  const proto::Hello again = next_hello();
  EXPECT_EQ(again.worker(), 4u);
  EXPECT_EQ(again.term(), 1u);
  EXPECT_EQ(again.run(), "run 1");
  tell(welcome_of(9, 2));
  EXPECT_THAT(next_line(), HasSubstr("worker 9 of coordinator 2"));
  bye();
  EXPECT_EQ(ended_.get().value(), "the end");
}

TEST_F(Calls, AnOlderCoordinatorIsRefusedAndCalledAgain) {
  start();
  next_hello();
  tell_and_wait(welcome_of(4, 3));
  next_coordinator();
  EXPECT_EQ(next_hello().term(), 3u);
  tell(welcome_of(5, 2));
  EXPECT_THAT(next_line(), HasSubstr("refused coordinator 2"));
  const proto::Hello again = next_hello();
  EXPECT_EQ(again.worker(), 4u);
  EXPECT_EQ(again.term(), 3u);
  tell(welcome_of(6, 4));
  bye();
  EXPECT_EQ(ended_.get().value(), "the end");
}

// The first call may last long, too.
TEST_F(Calls, WhoIsToldToGoWhileNobodyAnswersGoesAtOnce) {
  server_.reset();
  start();
  ASSERT_EQ(::raise(SIGTERM), 0);
  const Result<std::string> ended = ended_.get();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("asked to leave while no coordinator"));
}

TEST_F(Calls, NobodyIsTheEndAfterItsWait) {
  options_.wait = std::chrono::milliseconds(50);
  start();
  next_hello();
  tell_and_wait(welcome_of(4, 1));
  server_.reset();
  const Result<std::string> ended = ended_.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(ended.error().message, HasSubstr("no coordinator has answered within 50ms"));
}

TEST_F(Calls, ARunWhoseFolderIsGoneIsNotWaitedForAndMayBeResumedFromWhereItIs) {
  std::optional<posix::TemporaryFolder> folder(std::in_place);
  options_.run_folder = folder->path().string();
  options_.wait = posix::kTestPatience;
  start();
  next_hello();
  tell_and_wait(welcome_of(4, 1));
  folder.reset();
  server_.reset();
  const Result<std::string> ended = ended_.get();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message,
              HasSubstr("does not exist any more, so this worker ends. If the folder was moved, "
                        "resume the run at its new place"));
}

// A worker that learns of a new worker may reach it before the new worker gets its Welcome.
TEST_F(Calls, WhatOthersSendBeforeTheWelcomeIsKept) {
  posix::TemporaryFolder folder;
  const std::string file = (folder.path() / "rows.svm").string();
  std::ofstream(file) << "+1 1:1\n-1 1:-1\n";
  auto source =
      data::inspect(data::parse_url("libsvm://" + file).value(), data::local_files()).value();
  source.url = "libsvm://" + file;
  start();
  const proto::Hello hello = next_hello();
  auto transport = fabric::make_socket_transport({.transport = {.secret = transport_secret(kToken)},
                                                  .key = fabric::tls_key_of(kToken)})
                       .value();
  fabric::Rounds rounds(*transport, WorkerId{1});
  const fabric::PeerId peer = transport->connect(hello.transport_address()).value();
  const std::vector<float> state(2, 0.5f);
  const auto bytes = std::as_bytes(std::span(state));
  ASSERT_TRUE(
      rounds.send_blob(peer, {.round = 5, .sender = 0, .step = 0}, {bytes.begin(), bytes.end()}));
  const auto look = [&](int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(rounds.advance(std::chrono::milliseconds(5)));
  };
  look(100);  // Enough polls to drop the message.
  proto::Welcome welcome = welcome_of(4, 1);
  *welcome.add_sources() = protocol::to_proto(source);
  tell(welcome);
  proto::ToWorker prepare;
  prepare.set_sequence(5);
  proto::Prepare& order = *prepare.mutable_prepare();
  order.set_session(1);
  order.mutable_model()->set_fresh(true);
  order.mutable_task()->set_model("logistic");
  *order.mutable_task()->mutable_schema() = protocol::to_proto(source.schema);
  order.mutable_task()->set_samples(2);
  order.mutable_task()->set_lambda(0.5);
  proto::ChunkGrant& grant = *order.add_grants();
  *grant.mutable_range() = protocol::to_proto(data::cut({source}, 1 << 10, 1).front());
  grant.set_from(1);
  order.add_owned(0);
  *order.add_peers() = protocol::peer_proto(WorkerId{1}, transport->address());
  server_->send(connection_, prepare);
  const auto has_prepared = [&] {
    look(1);
    const auto said = poll_event<ConnectionMessage>(events_);
    return said && said->message.has_prepared();
  };
  EXPECT_TRUE(posix::wait_until(
      {.what = "a worker that has prepared", .holds = has_prepared, .pause = {}}));
  bye();
  EXPECT_EQ(ended_.get().value(), "the end");
}

// A coordinator may be lost before it has sent a Welcome.
TEST_F(Calls, WhoIsNotWelcomedYetCallsAgainWhileItIsPatient) {
  start();
  next_hello();
  const std::string address = server_->address();
  server_.reset();
  serve(address);
  EXPECT_EQ(next_hello().worker(), 0u);
  tell(welcome_of(4, 2));
  bye();
  EXPECT_EQ(ended_.get().value(), "the end");
}

}  // namespace worker_return_posix_test
}  // namespace surety::runtime
