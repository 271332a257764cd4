#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/crypto/authority.h"
#include "base/crypto/derived_key.h"

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

TEST(Authority, AServerHasTheNameThatItWasIssuedFor) {
  const Certificate shown =
      certificate_of(Authority("secret").issue_server("coordinator.surety").certificate);
  const auto has = [&](const std::string& name) {
    return X509_check_host(shown.get(), name.data(), name.size(), 0, nullptr) == 1;
  };
  EXPECT_TRUE(has("coordinator.surety"));
  EXPECT_FALSE(has("surety"));
}

TEST(Authority, EachProcessHasAKeyOfItsOwn) {
  const Authority authority("secret");
  EXPECT_NE(authority.issue_client().private_key, authority.issue_client().private_key);
}

}  // namespace crypto_test
}  // namespace surety::crypto
