// Signatures by Ed25519 (RFC 8032).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/crypto/derived_key.h"

// This is EVP_PKEY of OpenSSL.
struct evp_pkey_st;

namespace surety::crypto {

using PublicKey = std::array<std::byte, 32>;
using Signature = std::array<std::byte, 64>;

class SigningKey {
 public:
  [[nodiscard]] static SigningKey random();
  // The key that follows from this seed, which is the secret.
  explicit SigningKey(const Key& seed);

  [[nodiscard]] const Key& seed() const { return seed_; }
  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::span<const std::byte> message) const;

 private:
  Key seed_;
  std::shared_ptr<evp_pkey_st> key_;
};

// Whether the owner of the key has signed exactly this message.
[[nodiscard]] bool is_signed_by(const PublicKey& key, std::span<const std::byte> message,
                                const Signature& signature);

}  // namespace surety::crypto
