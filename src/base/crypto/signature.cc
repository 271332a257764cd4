#include "base/crypto/signature.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/check.h"

namespace surety::crypto {
namespace {

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

Context new_context() {
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  SURETY_CHECK(context != nullptr);
  return context;
}

}  // namespace

SigningKey SigningKey::random() {
  Key seed{};
  SURETY_CHECK(RAND_priv_bytes(raw(seed.data()), static_cast<int>(seed.size())) == 1);
  return SigningKey(seed);
}

SigningKey::SigningKey(const Key& seed)
    : seed_(seed),
      key_(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(seed.data()), seed.size()),
           EVP_PKEY_free) {
  SURETY_CHECK(key_ != nullptr);
}

PublicKey SigningKey::public_key() const {
  PublicKey key{};
  std::size_t length = key.size();
  SURETY_CHECK(EVP_PKEY_get_raw_public_key(key_.get(), raw(key.data()), &length) == 1 &&
               length == key.size());
  return key;
}

Signature SigningKey::sign(std::span<const std::byte> message) const {
  const Context context = new_context();
  Signature signature{};
  std::size_t length = signature.size();
  SURETY_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
               EVP_DigestSign(context.get(), raw(signature.data()), &length, raw(message.data()),
                              message.size()) == 1 &&
               length == signature.size());
  return signature;
}

bool is_signed_by(const PublicKey& key, std::span<const std::byte> message,
                  const Signature& signature) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> verifier(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(key.data()), key.size()),
      EVP_PKEY_free);
  if (verifier == nullptr) return false;
  const Context context = new_context();
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, verifier.get()) == 1 &&
         EVP_DigestVerify(context.get(), raw(signature.data()), signature.size(),
                          raw(message.data()), message.size()) == 1;
}

}  // namespace surety::crypto
