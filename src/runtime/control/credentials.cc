#include "runtime/control/credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/channel_arguments.h>

#include <vector>

#include "base/crypto/authority.h"

namespace surety::runtime {
namespace {

namespace tls = grpc::experimental;

// Coordinators have different addresses. So workers verify a coordinator by this name, not by its
// address.
constexpr const char* kCoordinatorName = "coordinator.surety";

std::shared_ptr<tls::CertificateProviderInterface> provider(const std::string& authority,
                                                            const crypto::Identity& identity) {
  return std::make_shared<tls::StaticDataCertificateProvider>(
      authority,
      std::vector<tls::IdentityKeyCertPair>{{identity.private_key, identity.certificate}});
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> coordinator_credentials(const std::string& token) {
  const crypto::Authority authority(token);
  tls::TlsServerCredentialsOptions options(
      provider(authority.certificate(), authority.issue_server(kCoordinatorName)));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  // The issuer is verified in any case. A worker has no name that could be verified.
  options.set_certificate_verifier(std::make_shared<tls::NoOpCertificateVerifier>());
  return tls::TlsServerCredentials(options);
}

WorkerKeys worker_keys(const std::string& token) {
  const crypto::Authority authority(token);
  return {authority.certificate(), authority.issue_client()};
}

std::shared_ptr<grpc::ChannelCredentials> worker_credentials(const WorkerKeys& keys,
                                                             grpc::ChannelArguments& arguments) {
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(provider(keys.authority, keys.identity));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  arguments.SetSslTargetNameOverride(kCoordinatorName);
  return tls::TlsCredentials(options);
}

std::optional<InvitedCaller> invited_caller(const grpc::ServerContextBase& call) {
  const auto caller = call.auth_context();
  if (!caller) return std::nullopt;
  for (const grpc::string_ref& pem : caller->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME)) {
    auto facts = crypto::read_certificate({pem.data(), pem.size()});
    if (facts && facts->name) return InvitedCaller{*facts->name, facts->fingerprint};
  }
  return std::nullopt;
}

}  // namespace surety::runtime
