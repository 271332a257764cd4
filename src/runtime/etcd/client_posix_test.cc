// The client with a real etcd.
#include "runtime/etcd/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/etcd/etcd_testing.h"

namespace surety::runtime {
namespace client_posix_test {

using ::testing::HasSubstr;

class Etcd : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(etcd_.is_up()) << etcd_.log(); }
  EtcdForTest etcd_;
  EtcdClient client_{EtcdMembers{{etcd_.address()}}};
};

TEST_F(Etcd, AKeyIsPutOnceAndIsThenRead) {
  const auto first =
      client_.put_if_none({.key = "/a", .value = "one"}, {"/a", "/b"}, posix::kTestPatience);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->put);
  const auto second =
      client_.put_if_none({.key = "/a", .value = "two"}, {"/a", "/b"}, posix::kTestPatience);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->put);
  ASSERT_EQ(second->found.size(), 2u);
  EXPECT_EQ(second->found[0]->value, "one");
  EXPECT_FALSE(second->found[1]);
  ASSERT_TRUE(client_.remove("/a", posix::kTestPatience));
  EXPECT_TRUE(client_.put_if_none({.key = "/a", .value = "3"}, {"/a"}, posix::kTestPatience)->put);
}

TEST_F(Etcd, AKeyGoesWithItsLeaseWhichIsThenGone) {
  // Longer than the test takes: the lease must not end by itself.
  const auto lease = client_.grant(std::chrono::milliseconds(999'500), posix::kTestPatience);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_GE(lease->ttl, std::chrono::seconds(1000));
  ASSERT_TRUE(client_.put_if_none({"/a", "one", lease->id}, {"/a"}, posix::kTestPatience)->put);
  EXPECT_EQ(client_.put_if_none({"/a", "two"}, {"/a"}, posix::kTestPatience)->found[0]->lease,
            lease->id);
  EXPECT_EQ(client_.keep_alive(lease->id, posix::kTestPatience).value(), lease->ttl);
  ASSERT_TRUE(client_.revoke(lease->id, posix::kTestPatience));
  EXPECT_EQ(client_.keep_alive(lease->id, posix::kTestPatience).value(), std::nullopt);
  EXPECT_TRUE(client_.revoke(lease->id, posix::kTestPatience));  // The lease is gone, as intended.
  EXPECT_TRUE(client_.put_if_none({"/a", "two"}, {"/a"}, posix::kTestPatience)->put);
}

TEST_F(Etcd, OnlyTheLeaseThatHoldsAKeyReplacesIt) {
  const auto lease = client_.grant(std::chrono::seconds(1000), posix::kTestPatience);
  ASSERT_TRUE(client_.put_if_none({"/a", "one", lease->id}, {"/a"}, posix::kTestPatience)->put);
  EXPECT_FALSE(
      client_.put_instead({"/end", "x"}, "/a", lease->id + 1, posix::kTestPatience).value());
  EXPECT_TRUE(client_.put_instead({"/end", "y"}, "/a", lease->id, posix::kTestPatience).value());
  const auto left = client_.put_if_none({"/a", "two"}, {"/a", "/end"}, posix::kTestPatience);
  EXPECT_FALSE(left->put);
  EXPECT_FALSE(left->found[0]);
  EXPECT_EQ(left->found[1]->value, "y");
}

TEST_F(Etcd, AMemberThatIsNotThereIsPassedOver) {
  EtcdClient both({{"127.0.0.1:1", etcd_.address()}});
  // Half of the four seconds is for the live member, which may need another try if it is busy.
  const auto removes = [&] { return both.remove("/a", std::chrono::seconds(4)).has_value(); };
  EXPECT_TRUE(posix::wait_until("the member that is there", removes));
  EXPECT_TRUE(posix::wait_until("the member that is there, again", removes));
}

TEST(EtcdWithTls, AnswersThoseWithACertificateOfItsAuthorityOnly) {
  const EtcdForTest etcd{crypto::Authority("secret")};
  ASSERT_TRUE(etcd.is_up()) << etcd.log();
  EtcdClient client(etcd.members());
  EXPECT_TRUE(client.put_if_none({.key = "/a", .value = "one"}, {"/a"}, posix::kTestPatience));
  const crypto::Authority other("guess");
  const crypto::Identity stranger = other.issue_client();
  EtcdMembers members = etcd.members();
  for (const std::optional<EtcdKeys>& keys :
       {std::optional<EtcdKeys>(),
        std::optional(
            EtcdKeys{members.keys->authority, stranger.certificate, stranger.private_key}),
        std::optional(
            EtcdKeys{other.certificate(), members.keys->certificate, members.keys->private_key})}) {
    EtcdClient refused({members.addresses, keys});
    EXPECT_FALSE(refused.remove("/a", std::chrono::milliseconds(500)));
  }
  EXPECT_FALSE(client.put_if_none({.key = "/a", .value = "2"}, {"/a"}, posix::kTestPatience)->put);
}

TEST(EtcdAway, IsNamed) {
  EtcdClient away({{"127.0.0.1:1", "127.0.0.1:2"}});
  const auto lease = away.grant(std::chrono::seconds(2), std::chrono::milliseconds(100));
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(lease.error().message, HasSubstr("127.0.0.1:1, 127.0.0.1:2"));
}

}  // namespace client_posix_test
}  // namespace surety::runtime
