#include "base/crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <memory>

#include "base/check.h"

namespace surety::crypto {
namespace {

// OpenSSL must not clean up at the end of the process: a thread of gRPC that ends later could not
// free its own state any more, and LeakSanitizer would report it.
[[maybe_unused]] const int without_cleanup = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

}  // namespace

Digest sha256(std::initializer_list<std::span<const std::byte>> parts) {
  // The method is fetched only once, because a look-up costs more than a short digest.
  static EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  SURETY_CHECK(method != nullptr && context != nullptr &&
               EVP_DigestInit_ex2(context.get(), method, nullptr) == 1);
  for (const std::span<const std::byte> part : parts) {
    SURETY_CHECK(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  }
  Digest digest{};
  SURETY_CHECK(EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()),
                                  nullptr) == 1);
  return digest;
}

}  // namespace surety::crypto
