#include "base/crypto/derived_key.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <string>

#include "base/check.h"

namespace surety::crypto {
namespace {

OSSL_PARAM bytes_of(const char* name, std::string_view bytes) {
  // OpenSSL only reads it.
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

}  // namespace

Key derive_key(std::string_view secret, std::string_view purpose) {
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> method(
      EVP_KDF_fetch(nullptr, "HKDF", nullptr), EVP_KDF_free);
  SURETY_CHECK(method != nullptr);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(
      EVP_KDF_CTX_new(method.get()), EVP_KDF_CTX_free);
  SURETY_CHECK(context != nullptr);
  std::string hash = "SHA256";
  const std::string input = "token:" + std::string(secret);  // OpenSSL refuses an empty key.
  const std::array<OSSL_PARAM, 4> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, hash.data(), 0),
      bytes_of(OSSL_KDF_PARAM_KEY, input), bytes_of(OSSL_KDF_PARAM_INFO, purpose),
      OSSL_PARAM_construct_end()};
  Key key{};
  SURETY_CHECK(EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char*>(key.data()),
                              key.size(), parameters.data()) == 1);
  return key;
}

}  // namespace surety::crypto
