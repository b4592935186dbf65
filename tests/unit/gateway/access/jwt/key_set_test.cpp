// Tests which keys of an identity provider are accepted.
#include "gateway/access/jwt/key_set.hpp"

#include "gateway/access/jwt/strict_json.hpp"
#include "tests/support/gateway/token_issuer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using testing::token_issuer;

std::string set_of(const std::vector<json>& keys) { return json{{"keys", keys}}.dump(); }
std::string problem_of(const std::string& text) {
  const auto read = read_key_set(text);
  return std::holds_alternative<key_set>(read) ? "" : std::get<std::string>(read);
}
std::size_t count_in(const std::vector<json>& keys) {
  const auto read = read_key_set(set_of(keys));
  return std::holds_alternative<key_set>(read) ? std::get<key_set>(read).size() : 0;
}

const token_issuer& rsa() {
  static const token_issuer made("RS256", "r");
  return made;
}
const token_issuer& p256() {
  static const token_issuer made("ES256", "e");
  return made;
}
const token_issuer& ed25519() {
  static const token_issuer made("EdDSA", "d");
  return made;
}

TEST(StrictJson, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  EXPECT_TRUE(read_strict_object(R"({"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]})"));
  for (const char* text : {R"({"a":1,"a":1})", R"({"a":1,"\u0061":2})", R"({"x":{"a":1,"a":2}})", R"([1])", R"("a")", "",
                           R"({"a":1}x)", "{\"a\":\"\xff\"}", R"({"x":[[{"a":1,"a":2}]]})"})
    EXPECT_FALSE(read_strict_object(text)) << text;
  EXPECT_FALSE(read_strict_object("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"));
  EXPECT_TRUE(read_strict_object("{\"a\":" + std::string(10, '[') + std::string(10, ']') + "}"));
}

TEST(KeySet, TakesTheThreeAlgorithmsAndLeavesOthersOut) {
  const json hmac{{"kty", "oct"}, {"k", "c2VjcmV0"}, {"kid", "h"}}, nothing = json::object(), text = "x";
  EXPECT_EQ(count_in({rsa().jwk(), p256().jwk(), ed25519().jwk(), hmac, nothing, text}), 3u);
  EXPECT_NE(problem_of(set_of({hmac})).find("no key for RS256"), std::string::npos);
  EXPECT_NE(problem_of(R"({"keys":[]})").find("no key"), std::string::npos);
  for (const char* wrong : {"", "<html>", "{}", R"({"keys":{}})", R"({"keys":[],"keys":[]})"})
    EXPECT_NE(problem_of(wrong), "") << wrong;
  EXPECT_NE(problem_of(set_of(std::vector<json>(65, rsa().jwk()))).find("more than 64"), std::string::npos);
}

TEST(KeySet, AKeyThatIsForSomethingElseIsNotTaken) {
  json encrypts = rsa().jwk(), pss = rsa().jwk(), signs = rsa().jwk(), verifies = rsa().jwk();
  encrypts["use"] = "enc";
  pss["alg"] = "PS256";
  signs["key_ops"] = {"sign"};
  EXPECT_EQ(count_in({encrypts, pss, signs}), 0u);
  verifies.erase("use"), verifies.erase("alg");
  verifies["key_ops"] = {"verify"};
  EXPECT_EQ(count_in({verifies}), 1u);
}

TEST(KeySet, WeakOrBrokenKeysAreNotTaken) {
  const token_issuer short_rsa("RS256", "s", 1024);
  json even = rsa().jwk(), one = rsa().jwk(), off_curve = p256().jwk(), other_curve = p256().jwk(), cut = ed25519().jwk();
  even["n"] = proxy::base64url_encoded(std::string(256, '\x80'));
  one["e"] = "AQ";
  off_curve["y"] = off_curve["x"];
  other_curve["crv"] = "P-384";
  cut["x"] = "AAAA";
  for (const json& each : {short_rsa.jwk(), even, one, off_curve, other_curve, cut}) EXPECT_EQ(count_in({each}), 0u) << each;
  json huge = rsa().jwk();
  huge["n"] = proxy::base64url_encoded(std::string(2048, '\xff'));
  EXPECT_EQ(count_in({huge}), 0u);
}

TEST(KeySet, AKeyIsFoundByItsIdAndAlgorithm) {
  json second = rsa().jwk();
  second["kid"] = "r2";
  const key_set all = std::get<key_set>(read_key_set(set_of({rsa().jwk(), second, p256().jwk()})));
  EXPECT_EQ(find_key(all, "r2", jwt_algorithm::rs256), &all[1]);
  EXPECT_EQ(find_key(all, "r2", jwt_algorithm::es256), nullptr);
  EXPECT_EQ(find_key(all, "x", jwt_algorithm::rs256), nullptr);
  EXPECT_EQ(find_key(all, "", jwt_algorithm::es256), &all[2]) << "the only one";
  EXPECT_EQ(find_key(all, "", jwt_algorithm::rs256), nullptr) << "which of the two is not said";
}

}  // namespace
}  // namespace photofinish::gateway
