// How the two ends of a control stream between machines authenticate each other: by TLS
// certificates, which only a process with the run's token can issue. A worker's certificate cannot
// serve as that of a coordinator. A worker either issues its own certificate, or was invited and
// has one with its name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/crypto/authority.h"

namespace grpc {
class ChannelArguments;
class ChannelCredentials;
class ServerContextBase;
class ServerCredentials;
}  // namespace grpc

namespace surety::runtime {

[[nodiscard]] std::shared_ptr<grpc::ServerCredentials> coordinator_credentials(
    const std::string& token);

// The proof that a worker may join.
struct WorkerKeys {
  std::string authority;  // The certificate of the run's authority, PEM.
  crypto::Identity identity;
};
[[nodiscard]] WorkerKeys worker_keys(const std::string& token);
// Sets in `arguments` the name that the certificate of the coordinator must have.
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> worker_credentials(
    const WorkerKeys& keys, grpc::ChannelArguments& arguments);

// The certificate of an invited worker that makes this call; none if the caller has no certificate,
// or one without a name.
struct InvitedCaller {
  std::string worker;
  std::string fingerprint;
};
[[nodiscard]] std::optional<InvitedCaller> invited_caller(const grpc::ServerContextBase& call);

}  // namespace surety::runtime
