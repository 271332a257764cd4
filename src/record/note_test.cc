#include "record/note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/checkpoint.h"
#include "record/results.h"

namespace surety::record {
namespace note_test {

using ::testing::HasSubstr;

crypto::SigningKey key_of(int number) {
  crypto::Key seed{};
  seed[0] = static_cast<std::byte>(number);
  return crypto::SigningKey(seed);
}
Verifier verifier_of(int number, const std::string& name = "acme") {
  return {.name = name, .key = key_of(number).public_key()};
}
Note signed_note(const std::string& text = "one\n\ntwo\n") {
  Note note{.text = text, .signatures = {}};
  sign(note, {"acme", key_of(1)});
  return note;
}

TEST(Note, TheOwnerOfTheKeyHasSignedJustThisText) {
  Note note = signed_note();
  EXPECT_TRUE(is_signed_by(note, verifier_of(1)));
  EXPECT_FALSE(is_signed_by(note, verifier_of(2)));
  EXPECT_FALSE(is_signed_by(note, verifier_of(1, "other")));
  note.text = "one\n\ntwo.\n";
  EXPECT_FALSE(is_signed_by(note, verifier_of(1)));
}

TEST(Note, ItIsReadAsItWasWritten) {
  Note note = signed_note();
  sign(note, {"clinic-b", key_of(2)});
  const auto read = parse_note(to_text(note));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text, "one\n\ntwo\n");
  EXPECT_EQ(to_text(*read), to_text(note));
  EXPECT_TRUE(is_signed_by(*read, verifier_of(1)));
  EXPECT_TRUE(is_signed_by(*read, verifier_of(2, "clinic-b")));
}

// The first example of the package golang.org/x/mod/sumdb/note.
TEST(Note, TheNoteOfAnotherProgramIsAccepted) {
  const auto verifier =
      parse_verifier("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
  ASSERT_TRUE(verifier) << verifier.error().message;
  const auto note = parse_note(
      "If you think cryptography is the answer to your problem,\n"
      "then you don't know what your problem is.\n"
      "\n"
      "\u2014 PeterNeumann "
      "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
      "\n");
  ASSERT_TRUE(note) << note.error().message;
  EXPECT_TRUE(is_signed_by(*note, *verifier));
}

TEST(Note, EachFlippedBitIsFound) {
  const std::string text = to_text(signed_note());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      const auto note = parse_note(changed);
      EXPECT_FALSE(note && is_signed_by(*note, verifier_of(1))) << i << " " << bit;
    }
  }
}

TEST(Note, WhatIsNoneIsRefusedWithTheReason) {
  const auto why = [](const std::string& text) {
    const auto note = parse_note(text);
    return note ? "accepted" : note.error().message;
  };
  EXPECT_THAT(why(""), HasSubstr("no empty line"));
  EXPECT_THAT(why("a\n\n"), HasSubstr("no signature"));
  EXPECT_THAT(why("a\n\nb\n"), HasSubstr("is no signature"));
  EXPECT_THAT(why("a\n\n\u2014 acme\n"), HasSubstr("does not name its key"));
  EXPECT_THAT(why("a\n\n\u2014 acme !!!!\n"), HasSubstr("not in base64"));
  EXPECT_THAT(why("a\n\n\u2014 acme AAAA"), HasSubstr("has no end"));
  EXPECT_THAT(why("\xff\n\n\u2014 acme AAAAAAAA\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(why(std::string(2 << 20, 'a')), HasSubstr("1 MiB"));
}

TEST(Verifier, ItsTextIsReadAsItWasWritten) {
  const Verifier verifier = verifier_of(7);
  EXPECT_EQ(parse_verifier(verifier.text()).value(), verifier);
}

TEST(Verifier, WhatIsNoneIsRefusedWithWhatWasFound) {
  const std::string good = verifier_of(7).text();
  const auto why = [](const std::string& text) {
    const auto verifier = parse_verifier(text);
    return verifier ? "accepted" : verifier.error().message;
  };
  EXPECT_THAT(why("acme"), HasSubstr("found acme, expected a key such as NAME+HASH+KEY"));
  EXPECT_THAT(why("acne" + good.substr(4)), HasSubstr("not the hash of the others"));
  EXPECT_THAT(why("a b" + good.substr(4)), HasSubstr("has spaces"));
  EXPECT_THAT(why(good.substr(0, good.size() - 4)), HasSubstr("not 33 bytes"));
  EXPECT_THAT(why("acme+zzzzzzzz" + good.substr(13)), HasSubstr("no hexadecimal number"));
  Verifier other = verifier_of(7);
  other.kind = static_cast<KeyKind>(6);
  EXPECT_THAT(why(other.text()), HasSubstr("another kind than Ed25519"));
}

TEST(Signer, ItsSecretTextIsReadAsItWasWritten) {
  const Signer signer{"acme", key_of(7)};
  const auto read = parse_signer(signer.secret_text());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "acme");
  EXPECT_EQ(read->verifier(), verifier_of(7));
}

TEST(Signer, EachKeyHasATextThatIsRead) {
  for (int i = 0; i < 100; ++i) {
    const Signer signer{"acme", crypto::SigningKey::random()};
    const auto read = parse_signer(signer.secret_text());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->key.seed(), signer.key.seed());
    EXPECT_EQ(parse_verifier(signer.verifier().text()).value(), signer.verifier());
  }
}

TEST(Signer, AChangedSecretIsRefusedAndNotQuoted) {
  const std::string good = Signer{"acme", key_of(7)}.secret_text();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto read = parse_signer(changed);
    ASSERT_FALSE(read) << i;
    EXPECT_THAT(read.error().message, testing::Not(HasSubstr(good.substr(25))));
  }
}

// ---- checkpoints and proofs ----

Checkpoint checkpoint() { return {"surety.run/mnist-1/7c9f", {812, leaf_digest({})}}; }

TEST(Checkpoint, ItIsReadAsItWasWritten) {
  const std::string text = to_text(checkpoint());
  EXPECT_EQ(text, "surety.run/mnist-1/7c9f\n812\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n");
  EXPECT_EQ(parse_checkpoint(text).value(), checkpoint());
}

TEST(Checkpoint, OneCheckpointHasOneText) {
  const std::string root = "bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=";
  for (const std::string& text :
       {std::string(), std::string("a\n1\n"), "a\n1\n" + root, "\n1\n" + root + "\n",
        "a\n01\n" + root + "\n", "a\n-1\n" + root + "\n", "a\n+1\n" + root + "\n",
        "a\n\n" + root + "\n", "a\n18446744073709551616\n" + root + "\n",
        std::string("a\n1\nAAAA\n"), "a\n1\n" + root + "\nmore\n", "a\n1 \n" + root + "\n"}) {
    const auto read = parse_checkpoint(text);
    EXPECT_FALSE(read) << text;
    if (!read) {
      EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    }
  }
}

TEST(InclusionProof, ItIsReadAsItWasWritten) {
  InclusionProof proof{.index = 5,
                       .digests = {leaf_digest({}), leaf_digest({})},
                       .signed_checkpoint = to_text(signed_note()),
                       .fact = std::string("a\0b", 3)};
  for (const bool has_fact : {true, false}) {
    if (!has_fact) proof.fact.reset();
    const auto read = parse_proof(to_text(proof));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->index, proof.index);
    EXPECT_EQ(read->digests, proof.digests);
    EXPECT_EQ(read->signed_checkpoint, proof.signed_checkpoint);
    EXPECT_EQ(read->fact, proof.fact);
  }
}

TEST(InclusionProof, WhatIsNoneIsRefusedWithTheReason) {
  const auto why = [](const std::string& text) {
    const auto proof = parse_proof(text);
    return proof ? "accepted" : proof.error().message;
  };
  const std::string head = "c2sp.org/tlog-proof@v1\n";
  EXPECT_THAT(why("hello\n"), HasSubstr("first line"));
  EXPECT_THAT(why(head), HasSubstr("which fact"));
  EXPECT_THAT(why(head + "extra ?\nindex 1\n\n"), HasSubstr("not in base64"));
  EXPECT_THAT(why(head + "index x\n\n"), HasSubstr("is no number"));
  EXPECT_THAT(why(head + "index 1\n"), HasSubstr("ends before the checkpoint"));
  EXPECT_THAT(why(head + "index 1\nAAAA\n\n"), HasSubstr("32 bytes"));
  std::string many = head + "index 1\n";
  for (int i = 0; i < 64; ++i) many += "bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n";
  EXPECT_THAT(why(many + "\n"), HasSubstr("too many digests"));
}

// ---- results ----

Results results() {
  return {.origin = "surety.run/mnist-1/7c9f",
          .head = checkpoint().head,
          .files = {{"certificate.json", leaf_digest({})}, {"model.safetensors", {}}}};
}

TEST(Results, TheyAreReadAsTheyWereWritten) {
  const auto read = parse_results(to_text(results()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, results());
  EXPECT_EQ(to_text(*read), to_text(results()));
}

TEST(Results, TheyAreNoCheckpointAndACheckpointIsNoResult) {
  EXPECT_FALSE(parse_checkpoint(to_text(results())));
  EXPECT_FALSE(parse_results(to_text(checkpoint())));
}

TEST(Results, OneListHasOneText) {
  const std::string good = to_text(results());
  EXPECT_FALSE(parse_results(good + "\n"));
  EXPECT_FALSE(parse_results(good + good.substr(good.rfind("sha256"))));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const auto read = parse_results(good.substr(0, i));
    EXPECT_FALSE(read && *read == results()) << i;
  }
}

}  // namespace note_test
}  // namespace surety::record
