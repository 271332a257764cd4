// The coordinator section of a job file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job_file.h"

namespace surety::job {
namespace job_coordinator_test {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Job> read(const std::string& coordinator, const std::string& cluster = "{}") {
  const std::string text =
      "promise: {target: 0.5, deadline: 20min}\n"
      "data: \"digits://?samples=8000\"\n"
      "model: {zoo: lenet5}\n"
      "cluster: " +
      cluster + "\n" + coordinator;
  return parse_job("job.yaml", text, {}, 0);
}

std::string refusal(const std::string& coordinator, const std::string& cluster = "{}") {
  const Result<Job> job = read(coordinator, cluster);
  return job ? "accepted" : job.error().message;
}

TEST(JobCoordinator, NobodyStandsByUnlessItIsWritten) {
  EXPECT_FALSE(read("")->coordinator.standby);
  EXPECT_FALSE(read("coordinator: {standby: off}")->coordinator.standby);
  const Job job = read("coordinator: {standby: true}").value();
  EXPECT_TRUE(job.coordinator.standby);
  EXPECT_THAT(job.coordinator.etcd, ElementsAre("127.0.0.1:2379"));
  EXPECT_EQ(job.coordinator.lease_s, 2);
}

TEST(JobCoordinator, MembersAndLeaseAreRead) {
  const Job job = read("coordinator: {standby: on, etcd: [\"a:1\", \"b:2\"], lease: 1min}").value();
  EXPECT_THAT(job.coordinator.etcd, ElementsAre("a:1", "b:2"));
  EXPECT_EQ(job.coordinator.lease_s, 60);
}

TEST(JobCoordinator, TlsWithEtcdNeedsThreeFiles) {
  const Job job =
      read("coordinator: {standby: on, etcd_ca: /a.pem, etcd_cert: /b.pem, etcd_key: /c.pem}")
          .value();
  EXPECT_EQ(job.coordinator.etcd_ca, "/a.pem");
  EXPECT_EQ(job.coordinator.etcd_cert, "/b.pem");
  EXPECT_EQ(job.coordinator.etcd_key, "/c.pem");
  EXPECT_THAT(refusal("coordinator: {standby: on, etcd_ca: /a.pem, etcd_key: /c.pem}"),
              HasSubstr("coordinator.etcd_cert: missing, expected a file"));
  EXPECT_THAT(refusal("coordinator: {standby: on, etcd_ca: a.pem}"),
              HasSubstr("expected an absolute path"));
  EXPECT_THAT(refusal("coordinator: {etcd_ca: /a.pem}"), HasSubstr("nothing without"));
}

TEST(JobCoordinator, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(refusal("coordinator: {standby: maybe}"), HasSubstr("expected on or off"));
  EXPECT_THAT(refusal("coordinator: {standby: on, etcd: []}"), HasSubstr("a list of HOST:PORT"));
  EXPECT_THAT(refusal("coordinator: {standby: on, etcd: [a]}"), HasSubstr("no host or no port"));
  EXPECT_THAT(refusal("coordinator: {standby: on, etcd: \"a:1\"}"),
              HasSubstr("job.yaml:5: coordinator.etcd: found a:1, expected a list"));
  for (const char* lease : {"500ms", "1500ms", "2h", "2"}) {
    EXPECT_THAT(refusal(std::string("coordinator: {standby: on, lease: ") + lease + "}"),
                HasSubstr("whole seconds from 1s to 1h"))
        << lease;
  }
  EXPECT_THAT(refusal("coordinator: {stanby: on}"), HasSubstr("did you mean standby"));
}

TEST(JobCoordinator, KeysThatWouldDoNothingAreRefused) {
  EXPECT_THAT(refusal("coordinator: {etcd: [\"a:1\"]}"),
              HasSubstr("nothing without coordinator.standby: on"));
  EXPECT_THAT(refusal("coordinator: {standby: off, lease: 2s}"), HasSubstr("coordinator.lease"));
  EXPECT_THAT(refusal("coordinator: {standby: on}", "{slurm: {}}"),
              HasSubstr("off with cluster.slurm"));
}

}  // namespace job_coordinator_test
}  // namespace surety::job
