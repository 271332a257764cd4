#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/crypto/authority.h"
#include "base/crypto/derived_key.h"
#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/random_bytes.h"
#include "base/crypto/signature.h"

namespace surety::crypto {
namespace crypto_test {

using Certificate = std::shared_ptr<X509>;

Certificate certificate_of(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return {PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free};
}

// Whether somebody who trusts this authority accepts the certificate for this purpose.
bool accepts(const Authority& authority, const Identity& identity, int purpose) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      X509_STORE_free);
  X509_STORE_add_cert(store.get(), certificate_of(authority.certificate()).get());
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  const Certificate shown = certificate_of(identity.certificate);
  X509_STORE_CTX_init(context.get(), store.get(), shown.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  return X509_verify_cert(context.get()) == 1;
}

TEST(DerivedKey, EachSecretAndEachPurposeHasAKeyOfItsOwn) {
  const Key key = derive_key("secret", "this");
  EXPECT_EQ(derive_key("secret", "this"), key);
  EXPECT_NE(derive_key("secret", "that"), key);
  EXPECT_NE(derive_key("secrets", "this"), key);
  EXPECT_NE(derive_key("", "this"), Key());
}

TEST(Authority, WhoHasTheSecretAcceptsWhatOthersWithItHaveIssued) {
  const Authority here("secret");
  const Authority there("secret");
  const Authority stranger("guess");
  const Identity server = here.issue_server("coordinator");
  EXPECT_TRUE(accepts(there, server, X509_PURPOSE_SSL_SERVER));
  EXPECT_FALSE(accepts(stranger, server, X509_PURPOSE_SSL_SERVER));
  EXPECT_TRUE(accepts(there, here.issue_client(), X509_PURPOSE_SSL_CLIENT));
}

TEST(Authority, ACertificateHasOneRole) {
  const Authority authority("secret");
  EXPECT_FALSE(accepts(authority, authority.issue_client(), X509_PURPOSE_SSL_SERVER));
  EXPECT_FALSE(accepts(authority, authority.issue_server("name"), X509_PURPOSE_SSL_CLIENT));
}

TEST(Authority, ANamedClientIsAClientOnly) {
  const Authority authority("secret");
  const Identity named = authority.issue_named_client("gpu-3");
  EXPECT_TRUE(accepts(authority, named, X509_PURPOSE_SSL_CLIENT));
  EXPECT_FALSE(accepts(authority, named, X509_PURPOSE_SSL_SERVER));
  EXPECT_FALSE(accepts(Authority("guess"), named, X509_PURPOSE_SSL_CLIENT));
}

TEST(Authority, ACertificateStatesTheNameOfANamedClientAndHasAFingerprintOfItsOwn) {
  const Authority authority("secret");
  const auto one = read_certificate(authority.issue_named_client("gpu-3").certificate);
  const auto other = read_certificate(authority.issue_named_client("gpu-3").certificate);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->name, "gpu-3");
  EXPECT_NE(one->fingerprint, other->fingerprint);
  EXPECT_FALSE(read_certificate(authority.issue_client().certificate)->name);
  EXPECT_FALSE(read_certificate(authority.issue_server("gpu-3").certificate)->name);
  for (const char* text : {"", "gpu-3", "-----BEGIN CERTIFICATE-----\nMIIB\n"}) {
    const auto none = read_certificate(text);
    ASSERT_FALSE(none) << text;
    EXPECT_EQ(none.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(Authority, AServerHasTheNameThatItWasIssuedFor) {
  const Certificate shown =
      certificate_of(Authority("secret").issue_server("coordinator.surety").certificate);
  const auto has = [&](const std::string& name) {
    return X509_check_host(shown.get(), name.data(), name.size(), 0, nullptr) == 1;
  };
  EXPECT_TRUE(has("coordinator.surety"));
  EXPECT_FALSE(has("surety"));
  const Certificate at_address =
      certificate_of(Authority("secret").issue_server("10.0.0.1").certificate);
  EXPECT_EQ(X509_check_ip_asc(at_address.get(), "10.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(at_address.get(), "10.0.0.2", 0), 0);
}

TEST(Authority, EachProcessHasAKeyOfItsOwn) {
  const Authority authority("secret");
  EXPECT_NE(authority.issue_client().private_key, authority.issue_client().private_key);
}

// ---- digests and signatures ----

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Digest, IsThatOfFips180) {
  EXPECT_EQ(hex(sha256(bytes_of("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256({bytes_of("a"), bytes_of(""), bytes_of("bc")}), sha256(bytes_of("abc")));
}

// RFC 8032, 7.1, test 2.
TEST(Signature, IsThatOfRfc8032) {
  Key seed{};
  std::ranges::copy(from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
                    seed.begin());
  const SigningKey key(seed);
  EXPECT_EQ(hex(key.public_key()),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const std::byte message{0x72};
  EXPECT_EQ(hex(key.sign(std::span(&message, 1))),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

TEST(Signature, IsOfOneMessageAndOneKey) {
  const SigningKey key = SigningKey::random();
  const Signature signature = key.sign(bytes_of("message"));
  EXPECT_TRUE(is_signed_by(key.public_key(), bytes_of("message"), signature));
  EXPECT_FALSE(is_signed_by(key.public_key(), bytes_of("massage"), signature));
  EXPECT_FALSE(is_signed_by(SigningKey::random().public_key(), bytes_of("message"), signature));
  EXPECT_TRUE(is_signed_by(SigningKey(key.seed()).public_key(), bytes_of("message"), signature));
}

TEST(Equal, SecretsOfTheSameSizeAndBytesAreEqual) {
  EXPECT_TRUE(equal("secret", "secret"));
  EXPECT_TRUE(equal("", ""));
  EXPECT_FALSE(equal("secret", "secreT"));
  EXPECT_FALSE(equal("secret", "Secret"));
  EXPECT_FALSE(equal("secret", "secrets"));
  EXPECT_FALSE(equal("secrets", "secret"));
  EXPECT_FALSE(equal("", "secret"));
}

TEST(RandomBytes, FillAllOfTheMemoryWithOtherBytesEachTime) {
  std::array<std::byte, 64> first{};
  std::array<std::byte, 64> second{};
  ASSERT_TRUE(random_bytes(first));
  ASSERT_TRUE(random_bytes(second));
  EXPECT_NE(first, second);
  // One half that stays zero has a probability of 2^-256.
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  EXPECT_FALSE(std::all_of(first.begin(), first.begin() + 32, is_zero));
  EXPECT_FALSE(std::all_of(first.begin() + 32, first.end(), is_zero));
  EXPECT_TRUE(random_bytes({}));
}

}  // namespace crypto_test
}  // namespace surety::crypto
