// How the two ends of a control stream between machines know each other: by TLS certificates that
// only who has the run's token can issue. A worker's certificate cannot serve as that of a
// coordinator.
#pragma once

#include <memory>
#include <string>

namespace grpc {
class ChannelArguments;
class ChannelCredentials;
class ServerCredentials;
}  // namespace grpc

namespace surety::runtime {

[[nodiscard]] std::shared_ptr<grpc::ServerCredentials> coordinator_credentials(
    const std::string& token);
// Sets in `arguments` by which name the coordinator must prove itself.
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> worker_credentials(
    const std::string& token, grpc::ChannelArguments& arguments);

}  // namespace surety::runtime
