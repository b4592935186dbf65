// Tests the conditions under which a signed token is valid.
#include "gateway/access/jwt/signed_token.hpp"

#include "tests/support/gateway/token_issuer.hpp"

#include <gtest/gtest.h>

#include <openssl/err.h>

#include <string>
#include <variant>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using testing::token_issuer;

const json claims{{"iss", "https://sso.example.com"}, {"sub", "alice"}};

key_set keys_of(const token_issuer& from) { return std::get<key_set>(read_key_set(from.key_set())); }

bool holds(const std::string& text, const key_set& keys) {
  const auto read = read_signed_token(text);
  return std::holds_alternative<signed_token>(read) && is_signed_by(std::get<signed_token>(read), keys[0]);
}
std::string problem_of(const std::string& text) {
  const auto read = read_signed_token(text);
  return std::holds_alternative<signed_token>(read) ? "" : std::get<std::string>(read);
}

TEST(SignedToken, OfEachAlgorithmHoldsAndNoChangedBitDoes) {
  for (const char* algorithm : {"RS256", "ES256", "EdDSA"}) {
    const token_issuer issuer(algorithm, "k1"), other(algorithm, "k1");
    const std::string token = issuer.token(claims);
    const key_set keys = keys_of(issuer);
    EXPECT_TRUE(is_jwt(token));
    EXPECT_TRUE(holds(token, keys)) << algorithm;
    EXPECT_FALSE(holds(token, keys_of(other))) << algorithm;
    for (std::size_t at = 0; at < token.size(); ++at)
      for (const int bit : {0, 3, 6}) {
        std::string changed = token;
        changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
        ASSERT_FALSE(holds(changed, keys)) << algorithm << " " << at << " " << bit;
      }
    EXPECT_EQ(ERR_peek_error(), 0u) << "which TLS of this thread would take for its own";
  }
}

// The token comes from RFC 7515, A.3, so that the test does not depend on this project's own signatures.
TEST(SignedToken, TheStandardsOwnExampleHolds) {
  const key_set keys = std::get<key_set>(read_key_set(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
      R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})"));
  EXPECT_TRUE(holds("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p"
                    "c19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-"
                    "Kg6NU1Q",
                    keys));
}

TEST(SignedToken, OtherAlgorithmsAreRefusedWhateverSignedThem) {
  const token_issuer issuer("RS256", "k1");
  for (const char* algorithm : {"none", "None", "HS256", "HS512", "RS512", "PS256", "ES384", "rs256", ""}) {
    const std::string header = json{{"alg", algorithm}, {"kid", "k1"}}.dump();
    EXPECT_NE(problem_of(issuer.signed_parts(header, claims.dump())).find("RS256, ES256 or EdDSA"), std::string::npos);
  }
  EXPECT_NE(problem_of(issuer.signed_parts(R"({"kid":"k1"})", claims.dump())), "");
  const std::string unsigned_text = proxy::base64url_encoded(R"({"alg":"none"})") + "." +
                                    proxy::base64url_encoded(claims.dump()) + ".";
  EXPECT_NE(problem_of(unsigned_text), "");
}

// Two classic attacks on tokens are tested. One attack uses a public key as an HMAC secret. The other attack uses a key with an algorithm
// for another type of key.
TEST(SignedToken, TheAlgorithmMustBeThatOfTheKey) {
  const token_issuer rsa("RS256", "k1"), ed("EdDSA", "k1");
  EXPECT_FALSE(holds(rsa.signed_parts(R"({"alg":"EdDSA","kid":"k1"})", claims.dump()), keys_of(rsa)));
  EXPECT_FALSE(holds(ed.token(claims), keys_of(rsa)));
}

TEST(SignedToken, HeadersThatMeanSomethingElseAreRefused) {
  const token_issuer issuer("EdDSA", "k1");
  const auto with = [&](const std::string& header) { return problem_of(issuer.signed_parts(header, claims.dump())); };
  EXPECT_EQ(with(R"({"alg":"EdDSA","typ":"at+jwt","jwk":{},"x5u":"https://evil"})"), "") << "not looked at";
  EXPECT_EQ(with(R"({"alg":"EdDSA","typ":"application/AT+JWT"})"), "");
  EXPECT_NE(with(R"({"alg":"EdDSA","crit":["exp"]})").find("crit"), std::string::npos);
  EXPECT_NE(with(R"({"alg":"EdDSA","crit":[]})").find("crit"), std::string::npos);
  EXPECT_NE(with(R"({"alg":"EdDSA","typ":"logout+jwt"})").find("neither JWT nor"), std::string::npos);
  EXPECT_NE(with(R"({"alg":"EdDSA","alg":"EdDSA"})").find("two members"), std::string::npos);
  EXPECT_NE(with(R"({"alg":"EdDSA","kid":7})").find("kid"), std::string::npos);
  EXPECT_NE(problem_of(issuer.signed_parts(R"({"alg":"EdDSA"})", R"({"sub":"a","sub":"b"})")).find("two claims"),
            std::string::npos);
}

TEST(SignedToken, TextsThatAreNoneAreRefusedWithoutShowingThem) {
  const std::string token = token_issuer("EdDSA", "k1").token(claims);
  for (const std::string& text : {token + ".", token + "=", token.substr(0, token.rfind('.')), "eyJ.." + token,
                                  std::string("eyJhIjoxfQ.eyJhIjoxfQ."), std::string("eyJ..")}) {
    EXPECT_NE(problem_of(text), "") << text;
    EXPECT_EQ(problem_of(text).find("eyJ"), std::string::npos);
  }
  EXPECT_NE(problem_of("eyJ" + std::string(longest_jwt, 'A') + "..").find("longer than"), std::string::npos);
  for (const char* other : {"", "pf-abc", "sk-eyJ.a.b", "eyJhIjoxfQ.eyJh", "eyJ a.b.c"}) EXPECT_FALSE(is_jwt(other));
}

}  // namespace
}  // namespace photofinish::gateway
