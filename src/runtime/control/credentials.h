// How the two ends of a control stream between machines authenticate each other: by TLS
// certificates, which only a process with the run's token can issue. A worker's certificate cannot
// serve as that of a coordinator.
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
// Sets in `arguments` the name that the certificate of the coordinator must have.
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> worker_credentials(
    const std::string& token, grpc::ChannelArguments& arguments);

}  // namespace surety::runtime
