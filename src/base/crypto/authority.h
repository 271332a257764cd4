// Certificates (X.509) for processes that share a secret. With them, the two ends of a TLS
// connection prove to each other that they have the secret, without sending it.
//
// Everyone with the secret has the same signing key (Ed25519), which issues certificates for keys
// that each process makes for itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// This is EVP_PKEY of OpenSSL.
struct evp_pkey_st;

namespace surety::crypto {

// The certificate that a process shows, and the key by which it proves that the certificate is its
// own. Both are in PEM.
struct Identity {
  std::string certificate;
  std::string private_key;
};

class Authority {
 public:
  // All authorities of one secret issue certificates that the others accept.
  explicit Authority(std::string_view secret);

  // The certificate of this authority, in PEM. The certificate of the other side must be signed
  // with its key.
  [[nodiscard]] const std::string& certificate() const { return certificate_; }
  // A new identity of a server that clients know by this name or IP address.
  [[nodiscard]] Identity issue_server(std::string_view name) const;
  // A new identity that only a client may show.
  [[nodiscard]] Identity issue_client() const;
  // The same, for one client with a name of its own. REQUIRES: the name consists of letters, digits
  // and "-", "_", ".".
  [[nodiscard]] Identity issue_named_client(std::string_view name) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::string certificate_;
};

// What a certificate says of its owner.
struct CertificateFacts {
  std::optional<std::string> name;  // The name of a named client.
  std::string fingerprint;          // SHA-256 of the certificate, in base64.
};

// InvalidInput: the text is no certificate in PEM. The signature is not verified.
[[nodiscard]] Result<CertificateFacts> read_certificate(std::string_view pem);

// InvalidInput: the authority has not issued the certificate, or the private key is not that of the
// certificate, or one of them is not in PEM.
[[nodiscard]] Result<void> check_identity(std::string_view authority, const Identity& identity);

}  // namespace surety::crypto
