#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"
#include "fabric/sockets/tls_key.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/invitation/invitation_list.h"

namespace surety::runtime {
namespace invitation_posix_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Invitations : public ::testing::Test {
 protected:
  void coordinate_at(const std::string& address) {
    ASSERT_TRUE(write_coordinator_file(run_, {.address = address, .token = "secret"}));
  }
  static std::int64_t in_an_hour() {
    return static_cast<std::int64_t>(posix::unix_seconds()) + 3600;
  }
  static std::string fingerprint(const Invitation& invitation) {
    return crypto::read_certificate(invitation.identity.certificate).value().fingerprint;
  }
  Result<Invitation> invite(const std::string& worker, std::int64_t until) const {
    SURETY_TRY(Invitation invitation, list_.make(worker, until));
    SURETY_TRY(list_.add(invitation));
    return invitation;
  }
  std::string invited_text() {
    coordinate_at("10.0.0.1:7000");
    return to_json(invite("gpu-3", in_an_hour()).value());
  }

  const posix::TemporaryFolder folder_;
  const std::filesystem::path run_ = folder_.path();
  const InvitationList list_{run_};
};

TEST_F(Invitations, AnInvitationIsReadAsItWasMade) {
  coordinate_at("10.0.0.1:7000");
  const auto made = invite("gpu-3", in_an_hour());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->join, "10.0.0.1:7000");
  EXPECT_EQ(made->data_key, fabric::tls_key_of("secret"));
  const auto read = parse_invitation(to_json(*made));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(*made));
  EXPECT_THAT(to_json(*made), Not(HasSubstr("\"secret\"")));
}

TEST_F(Invitations, OnlyTheNewestInvitationOfANameIsAdmittedUntilItIsWithdrawn) {
  coordinate_at("10.0.0.1:7000");
  const Invitation first = invite("gpu-3", in_an_hour()).value();
  EXPECT_TRUE(list_.admits("gpu-3", fingerprint(first), 0));
  EXPECT_FALSE(list_.admits("gpu-4", fingerprint(first), 0));
  const Invitation second = invite("gpu-3", in_an_hour()).value();
  EXPECT_FALSE(list_.admits("gpu-3", fingerprint(first), 0));
  EXPECT_TRUE(list_.admits("gpu-3", fingerprint(second), 0));
  EXPECT_FALSE(list_.admits("gpu-3", fingerprint(second), in_an_hour() + 1));
  EXPECT_THAT(list_.entries(), SizeIs(1));
  EXPECT_TRUE(list_.withdraw("gpu-3"));
  EXPECT_FALSE(list_.admits("gpu-3", fingerprint(second), 0));
  EXPECT_FALSE(list_.withdraw("gpu-3"));
  EXPECT_THAT(list_.entries(), SizeIs(0));
}

TEST_F(Invitations, AnEntryWithAnImpossibleTimeIsNone) {
  coordinate_at("10.0.0.1:7000");
  const Invitation made = invite("gpu-3", in_an_hour()).value();
  for (const char* time : {"10000000000000", "-1", "18446744073709551615", "1e9", "null"}) {
    std::ofstream(run_ / "invitations/gpu-3") << "{\"certificate_sha256\": \"" << fingerprint(made)
                                              << "\", \"until_unix_s\": " << time << "}";
    EXPECT_THAT(list_.entries(), SizeIs(0)) << time;
    EXPECT_FALSE(list_.admits("gpu-3", fingerprint(made), 0)) << time;
  }
}

TEST_F(Invitations, NamesCannotNameOtherFiles) {
  coordinate_at("10.0.0.1:7000");
  for (const char* name : {"", "..", ".hidden", "a/b", "../token", "a b", "-x", "é"}) {
    EXPECT_FALSE(invite(name, in_an_hour())) << name;
    EXPECT_FALSE(list_.withdraw(name)) << name;
    EXPECT_FALSE(list_.admits(name, "", 0)) << name;
  }
  EXPECT_FALSE(invite(std::string(65, 'a'), in_an_hour()));
  EXPECT_TRUE(invite(std::string(64, 'a'), in_an_hour()));
}

TEST_F(Invitations, ARunThatOthersCannotReachInvitesNobody) {
  const auto nobody = invite("gpu-3", in_an_hour());
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("coordinator.json"));
  coordinate_at("unix:/tmp/surety-1/control");
  const auto here = invite("gpu-3", in_an_hour());
  ASSERT_FALSE(here);
  EXPECT_THAT(here.error().message, HasSubstr("cluster.listen"));
}

TEST_F(Invitations, AFileThatOthersMayReadOrThatHasExpiredIsRefused) {
  const std::filesystem::path file = run_ / "gpu-3.invitation";
  ASSERT_TRUE(posix::write_secret_file(file, invited_text()));
  EXPECT_TRUE(read_invitation(file, 0));
  const auto late = read_invitation(file, in_an_hour() + 1);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, HasSubstr("has expired at 20"));
  ::chmod(file.c_str(), 0644);
  const auto open = read_invitation(file, 0);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("chmod 600"));
}

TEST_F(Invitations, ATextThatLacksSomethingIsNoInvitation) {
  const auto json = nlohmann::json::parse(invited_text());
  for (const auto& [key, value] : json.items()) {
    auto less = json;
    less.erase(key);
    EXPECT_FALSE(parse_invitation(less.dump())) << key;
    less[key] = nlohmann::json::array();
    EXPECT_FALSE(parse_invitation(less.dump())) << key;
  }
  auto other = json;
  other["worker"] = "gpu-4";
  const auto wrong = parse_invitation(other.dump());
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("expected the name in the certificate"));
  const Invitation another = invite("gpu-5", in_an_hour()).value();
  for (const auto& [key, value, expected] :
       {std::tuple("private_key", another.identity.private_key, "is not that of the certificate"),
        std::tuple("private_key", std::string(), "private key in PEM"),
        std::tuple("authority", crypto::Authority("guess").certificate(), "has not issued")}) {
    auto mixed = json;
    mixed[key] = value;
    const auto refused = parse_invitation(mixed.dump());
    ASSERT_FALSE(refused) << key;
    EXPECT_THAT(refused.error().message, HasSubstr(expected));
  }
  for (const char* text : {"", "[]", "{}", "null", "{\"surety_invitation\": 2}"}) {
    EXPECT_FALSE(parse_invitation(text)) << text;
  }
}

}  // namespace invitation_posix_test
}  // namespace surety::runtime
