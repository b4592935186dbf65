#include "proxy/failures/redactor.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace photofinish::proxy {
namespace {

std::vector<secret> keys(std::initializer_list<const char*> values) {
  std::vector<secret> out;
  for (const char* value : values) out.emplace_back(value);
  return out;
}

std::vector<secret> of_header(std::string_view value) {
  std::vector<secret> out;
  add_header_secrets(value, out);
  return out;
}

TEST(Redactor, ReplacesEveryWholeKey) {
  EXPECT_EQ(redact("bad key sk-12345678, yes sk-12345678", keys({"sk-12345678"})),
            "bad key [redacted], yes [redacted]");
}

TEST(Redactor, LeavesTextWithoutKeysAlone) {
  EXPECT_EQ(redact("Incorrect API key provided: sk-1***78", keys({"sk-12345678"})),
            "Incorrect API key provided: sk-1***78");
  EXPECT_EQ(redact("text", {}), "text");
  EXPECT_EQ(redact("", keys({"sk-12345678"})), "");
}

TEST(Redactor, TakesAShortSecretAsAWholeWordOnly) {
  EXPECT_EQ(redact("pin 4711 of team-a: 47110, x4711, 4711_, \"4711\".", keys({"4711", "team-a"})),
            "pin [redacted] of [redacted]: 47110, x4711, 4711_, \"[redacted]\".");
  EXPECT_EQ(redact("abc", keys({"abc"})), "[redacted]");
  EXPECT_EQ(redact("12345678", keys({"12345678"})), "[redacted]");
  EXPECT_EQ(redact("x12345678x", keys({"12345678"})), "x[redacted]x");
}

TEST(Redactor, LeavesShortValuesThatHideNothing) {
  const auto values = keys({"", "1", "v", "true", "False", "EMPTY", "none", "443"});
  const std::string text = "port 443, version 1 of v: it is true, false, none or EMPTY";
  EXPECT_EQ(redact(text, values), text);
}

TEST(Redactor, FindsPercentEncodedKeysInBothCases) {
  EXPECT_EQ(redact("?key=ab%2Fcd%3D%3D12 ?key=ab%2fcd%3d%3d12", keys({"ab/cd==12"})),
            "?key=[redacted] ?key=[redacted]");
}

TEST(Redactor, FindsOtherWaysOfWriting) {
  const auto secrets = keys({"Tok\"en/+?12", "k>>>?~~~"});
  EXPECT_EQ(redact("TOK\"EN/+?12", secrets), "[redacted]");                 // another case
  EXPECT_EQ(redact("{Tok\\\"en/+?12}", secrets), "{[redacted]}");           // within JSON
  EXPECT_EQ(redact("VG9rImVuLys/MTI=", secrets), "[redacted]=");            // base64
  EXPECT_EQ(redact("az4+Pj9+fn4 az4-Pj9-fn4", secrets), "[redacted] [redacted]");  // the key in base64, and in the URL-safe form of base64
}

TEST(Redactor, LeavesNoTailWhenOneKeyBeginsAnother) {
  EXPECT_EQ(redact("sk-12345678-longer", keys({"sk-12345678", "sk-12345678-longer"})), "[redacted]");
  EXPECT_EQ(redact("sk-12345678-long", keys({"sk-12345678", "sk-12345678-longer"})), "[redacted]-long");
  EXPECT_EQ(redact("sk-12345678z", keys({"sk-12345678", "sk-12345678-longer", "sk-12345678a"})), "[redacted]z");
}

TEST(Redactor, FindsTheBeginningOfAKeyThatTheTextsEndCutsOff) {
  EXPECT_EQ(redact("refused: sk-12345678…", keys({"sk-12345678-abcdef"})), "refused: [redacted]…");
  EXPECT_EQ(redact("refused: sk-12345", keys({"sk-12345678-abcdef"})), "refused: [redacted]");
  EXPECT_EQ(redact("refused: sk-1234", keys({"sk-12345678-abcdef"})), "refused: sk-1234");
}

TEST(Redactor, CleansAllTextsOfAFailure) {
  failure why;
  why.detail = "no: sk-12345678";
  why.code = why.type = why.param = "sk-12345678";
  redact(why, keys({"sk-12345678"}));
  EXPECT_EQ(why.detail, "no: [redacted]");
  EXPECT_EQ(why.code + why.type + why.param, "[redacted][redacted][redacted]");
}

TEST(Redactor, FindsTheSecretWithinAHeadersValue) {
  EXPECT_EQ(redact("token tok-12345678", of_header("Bearer tok-12345678")), "token [redacted]");
  EXPECT_EQ(redact("me:pass-word-1 pass-word-1", of_header("Basic bWU6cGFzcy13b3JkLTE=")), "[redacted] [redacted]");
  EXPECT_EQ(redact("no session abcdefgh1", of_header("theme=dark; session=abcdefgh1")), "no session [redacted]");
  EXPECT_EQ(redact("dark application", of_header("my application; theme=dark")), "dark application");
}

// A key could begin at every byte of this text. Nevertheless, the work must not grow with the square of the text's length.
TEST(Redactor, ReplacesThousandsInOnePass) {
  std::string text, wanted;
  for (int count = 0; count < 20'000; ++count) text += "sk-12345678 ", wanted += "[redacted] ";
  EXPECT_EQ(redact(text, keys({"sk-12345678"})), wanted);
}

}  // namespace
}  // namespace photofinish::proxy
