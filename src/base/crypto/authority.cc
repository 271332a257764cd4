#include "base/crypto/authority.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <span>

#include "base/base64.h"
#include "base/check.h"
#include "base/crypto/derived_key.h"
#include "base/crypto/digest.h"
#include "base/crypto/random_bytes.h"

namespace surety::crypto {
namespace {

using PrivateKey = std::shared_ptr<EVP_PKEY>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

// All authorities of one secret must have the same name. Otherwise the issuer of a certificate
// would not be found.
constexpr const char* kAuthorityName = "surety run";
constexpr const char* kSubjectName = "surety process";

// The clocks of machines may differ. Therefore certificates do not expire: the secret of a run ends
// with the run.
constexpr const char* kValidFrom = "20000101000000Z";
constexpr const char* kValidUntil = "99991231235959Z";  // RFC 5280, 4.1.2.5: it does not expire.

// The name of a client is in its certificate as the URI "surety:worker:NAME".
constexpr std::string_view kNamePrefix = "surety:worker:";

constexpr std::size_t kPemBytesMax = 64 << 10;
constexpr int kVersion3 = 2;
constexpr std::size_t kSerialBytes = 16;

PrivateKey owned(EVP_PKEY* key) {
  SURETY_CHECK(key != nullptr);
  return {key, EVP_PKEY_free};
}

PrivateKey key_of(const Key& seed) {
  return owned(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(seed.data()), seed.size()));
}

PrivateKey new_key() { return owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")); }

// Text that a function of OpenSSL writes.
template <typename Write>
std::string written(const Write& write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  SURETY_CHECK(memory != nullptr && write(memory.get()) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  return written([&](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

std::string pem_of(EVP_PKEY* key) {
  return written([&](BIO* to) {
    return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

void set_name(X509_NAME* name, const char* text) {
  SURETY_CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                          reinterpret_cast<const unsigned char*>(text), -1, -1,
                                          0) == 1);
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free);
  SURETY_CHECK(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// Makes a certificate without a signature and without extensions.
Certificate unsigned_certificate(EVP_PKEY* subject, const char* name) {
  Certificate certificate(X509_new(), X509_free);
  SURETY_CHECK(certificate != nullptr && X509_set_version(certificate.get(), kVersion3) == 1);
  std::array<unsigned char, kSerialBytes> random{};
  SURETY_CHECK(random_bytes(std::as_writable_bytes(std::span(random))).has_value());
  random[0] = (random[0] & 0x7f) | 0x40;  // A serial number is positive.
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> serial(
      BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr), BN_free);
  SURETY_CHECK(serial != nullptr &&
               BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get())) !=
                   nullptr);
  SURETY_CHECK(ASN1_TIME_set_string(X509_getm_notBefore(certificate.get()), kValidFrom) == 1 &&
               ASN1_TIME_set_string(X509_getm_notAfter(certificate.get()), kValidUntil) == 1);
  set_name(X509_get_subject_name(certificate.get()), name);
  set_name(X509_get_issuer_name(certificate.get()), kAuthorityName);
  SURETY_CHECK(X509_set_pubkey(certificate.get(), subject) == 1);
  return certificate;
}

void sign(X509* certificate, EVP_PKEY* issuer) {
  SURETY_CHECK(X509_sign(certificate, issuer, nullptr) > 0);  // Ed25519 has its own hash.
}

std::unique_ptr<BIO, decltype(&BIO_free)> reader_of(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

// The certificate in the text; null if there is none.
Certificate certificate_in(std::string_view pem) {
  Certificate certificate(nullptr, X509_free);
  if (pem.empty() || pem.size() > kPemBytesMax) return certificate;
  certificate.reset(PEM_read_bio_X509(reader_of(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

// An encrypted key has no password: OpenSSL must not ask for one.
int no_password(char*, int, int, void*) { return 0; }

// The private key in the text; null if there is none.
PrivateKey private_key_in(std::string_view pem) {
  if (pem.empty() || pem.size() > kPemBytesMax) return nullptr;
  EVP_PKEY* const key =
      PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr);
  ERR_clear_error();
  return key == nullptr ? nullptr : owned(key);
}

std::optional<std::string> name_in(X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                                static_cast<std::size_t>(ASN1_STRING_length(uri)));
    if (text.starts_with(kNamePrefix)) return std::string(text.substr(kNamePrefix.size()));
  }
  return std::nullopt;
}

// The entry for a host in the alternative names of a certificate.
std::string host_entry(const std::string& name) {
  const std::unique_ptr<ASN1_OCTET_STRING, decltype(&ASN1_OCTET_STRING_free)> address(
      a2i_IPADDRESS(name.c_str()), ASN1_OCTET_STRING_free);
  ERR_clear_error();
  return (address == nullptr ? "DNS:" : "IP:") + name;
}

struct Extension {
  int kind;
  std::string value;
};

Identity issue(EVP_PKEY* issuer, std::initializer_list<Extension> extensions) {
  const PrivateKey key = new_key();
  const Certificate certificate = unsigned_certificate(key.get(), kSubjectName);
  for (const auto& [kind, value] : extensions) add_extension(certificate.get(), kind, value);
  sign(certificate.get(), issuer);
  return {pem_of(certificate.get()), pem_of(key.get())};
}

}  // namespace

Authority::Authority(std::string_view secret)
    : key_(key_of(derive_key(secret, "surety authority 1"))) {
  const Certificate own = unsigned_certificate(key_.get(), kAuthorityName);
  add_extension(own.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(own.get(), NID_key_usage, "critical,keyCertSign");
  sign(own.get(), key_.get());
  certificate_ = pem_of(own.get());
}

Identity Authority::issue_server(std::string_view name) const {
  return issue(key_.get(), {{NID_basic_constraints, "critical,CA:FALSE"},
                            {NID_ext_key_usage, "serverAuth"},
                            {NID_subject_alt_name, host_entry(std::string(name))}});
}

Identity Authority::issue_client() const {
  return issue(key_.get(),
               {{NID_basic_constraints, "critical,CA:FALSE"}, {NID_ext_key_usage, "clientAuth"}});
}

Identity Authority::issue_named_client(std::string_view name) const {
  return issue(key_.get(),
               {{NID_basic_constraints, "critical,CA:FALSE"},
                {NID_ext_key_usage, "clientAuth"},
                {NID_subject_alt_name, "URI:" + std::string(kNamePrefix) + std::string(name)}});
}

Result<CertificateFacts> read_certificate(std::string_view pem) {
  const Certificate certificate = certificate_in(pem);
  if (certificate == nullptr) {
    return fail(ErrorCode::kInvalidInput, "found no certificate, expected one in PEM");
  }
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate.get(), &bytes);
  SURETY_CHECK(size > 0);
  const Digest digest = sha256(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
  OPENSSL_free(bytes);
  return CertificateFacts{.name = name_in(certificate.get()), .fingerprint = base64_encode(digest)};
}

Result<void> check_identity(std::string_view authority, const Identity& identity) {
  const Certificate issuer = certificate_in(authority);
  const Certificate own = certificate_in(identity.certificate);
  const PrivateKey key = private_key_in(identity.private_key);
  if (issuer == nullptr || own == nullptr || key == nullptr) {
    return fail(ErrorCode::kInvalidInput, "expected two certificates and a private key in PEM");
  }
  EVP_PKEY* const issuer_key = X509_get0_pubkey(issuer.get());
  const bool is_issued = issuer_key != nullptr && X509_verify(own.get(), issuer_key) == 1;
  const bool is_own = X509_check_private_key(own.get(), key.get()) == 1;
  ERR_clear_error();
  if (is_issued && is_own) return {};
  return fail(ErrorCode::kInvalidInput, "{}",
              is_issued ? "the private key is not that of the certificate"
                        : "the authority has not issued the certificate");
}

}  // namespace surety::crypto
