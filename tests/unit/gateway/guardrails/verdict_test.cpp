#include "gateway/guardrails/verdict.hpp"

#include "gateway/guardrails/verdict_rules.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using enum metrics::guardrail_verdict;

verdict read(std::string body) {
  proxy::tolerant_parser parser;
  return read_verdict(std::move(body), parser);
}
verdict read_action(const std::string& action) { return read(R"({"action":)" + action + "}"); }

TEST(Verdict, PassesWithAReasonOrWithoutOne) {
  EXPECT_EQ(read_action(R"({"reason":"fine"})").said, pass);
  EXPECT_EQ(read_action(R"({"reason":null})").said, pass);
  EXPECT_EQ(read_action(R"({})").said, pass);
  EXPECT_EQ(read_action(R"({"reason":"fine","body":null,"status_code":null})").said, pass) << "as unions are dumped";
  EXPECT_EQ(read_action(R"({"reason":"fine","score":0.1})").said, pass);
}

TEST(Verdict, RejectsWithAStatusAndAReason) {
  const verdict no = read_action(R"({"body":"blocked","status_code":403,"reason":"a secret\n in it"})");
  EXPECT_EQ(no.said, reject);
  EXPECT_EQ(no.status, 403);
  EXPECT_EQ(no.reason, "a secret in it");
  EXPECT_EQ(read_action(R"({"body":"blocked","status_code":403})").reason, "blocked");
  EXPECT_LE(read_action(R"({"body":")" + std::string(5000, 'x') + R"(","status_code":400})").reason.size(), 300u);
}

// The gateway must recognize every form of rejection that the project agentgateway recognizes.
TEST(Verdict, NoRejectionPassesByMistake) {
  EXPECT_EQ(read_action(R"({"body":"blocked"})").said, reject);
  EXPECT_EQ(read_action(R"({"body":"blocked","status_code":"403"})").said, reject);
  EXPECT_EQ(read_action(R"({"status_code":403,"reason":"no"})").said, reject);
  EXPECT_EQ(read_action(R"({"reject":{"body":"blocked","status_code":403}})").said, error);
  EXPECT_EQ(read_action(R"({"block":true})").said, error);
  EXPECT_EQ(read_action(R"({"body":"blocked","status_code":99999})").status, 0);
}

TEST(Verdict, MasksWithAllTexts) {
  const verdict other = read_action(R"({"body":{"messages":[{"role":"user","content":"a"},{"content":"\u00e9"}]},"reason":"pii"})");
  EXPECT_EQ(other.said, mask);
  EXPECT_EQ(other.contents, (std::vector<std::string>{"a", "é"}));
  EXPECT_EQ(read_action(R"({"body":{"messages":[]}})").said, mask);
  EXPECT_EQ(read_action(R"({"body":{"messages":[{"role":"user"}]}})").said, error);
  EXPECT_EQ(read_action(R"({"body":{"messages":[{"content":[{"type":"text"}]}]}})").said, error);
  EXPECT_EQ(read_action(R"({"body":{"messages":["a"]}})").said, error);
  EXPECT_EQ(read_action(R"({"body":{"choices":[]}})").said, error);
}

TEST(Verdict, AnythingElseIsNone) {
  for (const char* garbage : {"", "{", "null", "[]", "\"pass\"", "{}", R"({"action":null})", R"({"action":"pass"})",
                              R"({"action":[]})", R"({"action":{"body":3}})", R"({"action":{"body":[]}})",
                              R"({"action":{"reason":3}})", R"({"verdict":"pass"})", "<html>", "\xff\xfe"}) {
    const verdict none = read(garbage);
    EXPECT_EQ(none.said, error) << garbage;
    EXPECT_FALSE(none.trouble.empty()) << garbage;
  }
}

TEST(VerdictRules, EachVerdictHasItsRuling) {
  using enum guardrail_mode;
  using enum without_verdict;
  for (const without_verdict either : {deny, allow})
    for (const guardrail_mode mode : {parallel, before}) {
      EXPECT_EQ(rule_on(pass, mode, either), ruling::go_on);
      EXPECT_EQ(rule_on(reject, mode, either), ruling::refuse);
      EXPECT_EQ(rule_on(mask, mode, either), mode == before ? ruling::mask : ruling::refuse);
      for (const auto none : {timeout, error})
        EXPECT_EQ(rule_on(none, mode, either), either == allow ? ruling::go_on : ruling::unavailable);
    }
}

TEST(VerdictRules, ABlockKeepsTheServicesFourHundreds) {
  const auto status_of = [](int wanted) { return explain_block("pii", {.said = reject, .status = wanted}).status; };
  EXPECT_EQ(status_of(403), 403);
  EXPECT_EQ(status_of(451), 451);
  for (const int other : {0, 200, 302, 500, 503}) EXPECT_EQ(status_of(other), 400) << other;
  const api_error error = explain_block("pii", {.said = reject, .reason = "a card number"});
  EXPECT_EQ(error.code, "content_blocked");
  EXPECT_EQ(error.message, "the guardrail 'pii' blocks this request: a card number");
  EXPECT_EQ(error.advice, retry_advice::no);
}

TEST(VerdictRules, WithoutAVerdictTheRequestMayBeRepeated) {
  const api_error error = explain_no_verdict("pii");
  EXPECT_EQ(error.status, 503);
  EXPECT_EQ(error.code, "guardrail_unavailable");
  EXPECT_EQ(error.type, "server_error");
  EXPECT_TRUE(error.retry_after);
}

}  // namespace
}  // namespace photofinish::gateway
