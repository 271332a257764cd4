// Against a real etcd.
#include "runtime/etcd/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/etcd/etcd_testing.h"

namespace surety::runtime {
namespace {

using ::testing::HasSubstr;

constexpr auto kPatience = std::chrono::seconds(30);  // Only a test that fails waits this long.

class Etcd : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(etcd_.is_up()); }
  EtcdForTest etcd_;
  EtcdClient client_{{etcd_.address()}};
};

TEST_F(Etcd, AKeyIsPutOnceAndIsThenRead) {
  const auto first = client_.put_if_none({.key = "/a", .value = "one"}, {"/a", "/b"}, kPatience);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->put);
  const auto second = client_.put_if_none({.key = "/a", .value = "two"}, {"/a", "/b"}, kPatience);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->put);
  ASSERT_EQ(second->found.size(), 2u);
  EXPECT_EQ(second->found[0]->value, "one");
  EXPECT_FALSE(second->found[1]);
  ASSERT_TRUE(client_.remove("/a", kPatience));
  EXPECT_TRUE(client_.put_if_none({.key = "/a", .value = "3"}, {"/a"}, kPatience)->put);
}

TEST_F(Etcd, AKeyGoesWithItsLeaseWhichIsThenGone) {
  const auto lease = client_.grant(std::chrono::milliseconds(1500), kPatience);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_GE(lease->ttl, std::chrono::seconds(2));
  ASSERT_TRUE(client_.put_if_none({"/a", "one", lease->id}, {"/a"}, kPatience)->put);
  EXPECT_EQ(client_.put_if_none({"/a", "two"}, {"/a"}, kPatience)->found[0]->lease, lease->id);
  EXPECT_EQ(client_.keep_alive(lease->id, kPatience).value(), lease->ttl);
  ASSERT_TRUE(client_.revoke(lease->id, kPatience));
  EXPECT_EQ(client_.keep_alive(lease->id, kPatience).value(), std::nullopt);
  EXPECT_TRUE(client_.revoke(lease->id, kPatience));  // It is gone, as was wanted.
  EXPECT_TRUE(client_.put_if_none({"/a", "two"}, {"/a"}, kPatience)->put);
}

TEST_F(Etcd, OnlyTheLeaseThatHoldsAKeyReplacesIt) {
  const auto lease = client_.grant(std::chrono::seconds(60), kPatience);
  ASSERT_TRUE(client_.put_if_none({"/a", "one", lease->id}, {"/a"}, kPatience)->put);
  EXPECT_FALSE(client_.put_instead({"/end", "x"}, "/a", lease->id + 1, kPatience).value());
  EXPECT_TRUE(client_.put_instead({"/end", "y"}, "/a", lease->id, kPatience).value());
  const auto left = client_.put_if_none({"/a", "two"}, {"/a", "/end"}, kPatience);
  EXPECT_FALSE(left->put);
  EXPECT_FALSE(left->found[0]);
  EXPECT_EQ(left->found[1]->value, "y");
}

TEST_F(Etcd, AMemberThatIsNotThereIsPassedOver) {
  EtcdClient both({"127.0.0.1:1", etcd_.address()});
  EXPECT_TRUE(both.remove("/a", std::chrono::seconds(4)));
  EXPECT_TRUE(both.remove("/a", std::chrono::seconds(4)));
}

TEST(EtcdAway, IsNamed) {
  EtcdClient away({"127.0.0.1:1", "127.0.0.1:2"});
  const auto lease = away.grant(std::chrono::seconds(2), std::chrono::milliseconds(100));
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(lease.error().message, HasSubstr("127.0.0.1:1, 127.0.0.1:2"));
}

}  // namespace
}  // namespace surety::runtime
