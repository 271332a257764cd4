// Workers that join by a certificate with their name, without the token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/crypto/authority.h"
#include "base/posix/wait_testing.h"
#include "runtime/control/control_client.h"
#include "runtime/control/control_server.h"
#include "runtime/control/events_testing.h"

namespace surety::runtime {
namespace invited_posix_test {

using ::testing::HasSubstr;

class Invited : public ::testing::Test {
 protected:
  void SetUp() override {
    ControlServerOptions options;
    options.close_takes = posix::kTestPatience;
    options.token = "secret";
    options.admits = [this](const InvitedCaller& caller) {
      return is_valid_ && caller.worker == "gpu-3";
    };
    auto started = serve_control("127.0.0.1:0", options, events_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  static WorkerKeys keys_of(const std::string& token, const std::string& name) {
    const crypto::Authority authority(token);
    return {authority.certificate(), authority.issue_named_client(name)};
  }
  Result<std::unique_ptr<ControlClient>> join(const WorkerKeys& keys,
                                              const std::string& token = "") {
    ControlClientOptions options;
    options.address = server_->address();
    options.hello.set_token(token);
    options.keys = keys;
    options.wake = [] {};
    return connect_control(std::move(options), posix::kTestPatience);
  }
  // Why the coordinator refuses this worker, or has ended its connection.
  static Error refusal(ControlClient& client) {
    while (!client.ended()) client.inbox().wait(posix::kTestPatience);
    return *client.ended();
  }

  std::atomic<bool> is_valid_ = true;
  Inbox<ConnectionEvent> events_;
  std::unique_ptr<ListeningServer> server_;
};

TEST_F(Invited, AWorkerJoinsByItsCertificate) {
  const auto client = join(keys_of("secret", "gpu-3"));
  ASSERT_TRUE(client) << client.error().message;
  const auto opened = next_event<ConnectionOpened>(events_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->invitation, "gpu-3");
  const auto with_token = join(worker_keys("secret"), "secret");
  ASSERT_TRUE(with_token);
  EXPECT_EQ(next_event<ConnectionOpened>(events_)->invitation, std::nullopt);
}

TEST_F(Invited, ACertificateWithoutANameNeedsTheToken) {
  const auto client = join(worker_keys("secret"));
  ASSERT_TRUE(client);
  EXPECT_THAT(refusal(**client).message, HasSubstr("not the token"));
}

TEST_F(Invited, OnlyThoseOnTheListAreAdmittedEvenWithTheToken) {
  const auto client = join(keys_of("secret", "gpu-4"), "secret");
  ASSERT_TRUE(client);
  EXPECT_THAT(refusal(**client).message, HasSubstr("the invitation of this worker is not valid"));
  EXPECT_FALSE(events_.take());
}

TEST_F(Invited, AWorkerWhoseInvitationIsWithdrawnIsDisconnected) {
  const auto client = join(keys_of("secret", "gpu-3"));
  ASSERT_TRUE(client);
  ASSERT_TRUE(next_event<ConnectionOpened>(events_));
  is_valid_ = false;
  const Error why = refusal(**client);
  EXPECT_EQ(why.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(why.message, HasSubstr("withdrawn"));
}

TEST_F(Invited, AnInvitationToAnotherRunIsRefused) {
  const auto client = join(keys_of("guess", "gpu-3"));
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("the invitation"));
  EXPECT_FALSE(events_.take());
}

}  // namespace invited_posix_test
}  // namespace surety::runtime
