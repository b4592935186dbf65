// Tests which rule is chosen for a request: each condition alone, and all conditions together.
#include "gateway/attempts/setup/rule_match.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::gateway {
namespace {

struct asked_body {
  std::shared_ptr<const proxy::client_body> body;
  parsed_request asked;

  explicit asked_body(const std::string& text) : body(std::make_shared<const proxy::client_body>(text)) {
    asked.format = proxy::wire_format::openai_chat;
    asked.body = body;
    asked.prompt = body->value_of("messages");
  }
};

bool holds(const route_rule& rule, const std::string& body, const request_marks& marks = {}) {
  route of;
  of.rules = {rule};
  return first_rule(of, asked_body(body).asked, marks) != nullptr;
}

TEST(RuleMatch, WithoutConditionsItAlwaysHolds) { EXPECT_TRUE(holds({}, "{}")); }

TEST(RuleMatch, TheFirstThatHoldsDecides) {
  route of;
  of.rules.resize(3);
  of.rules[0].name = "tools", of.rules[0].tools = true;
  of.rules[1].name = "batch", of.rules[1].work = request_class::batch;
  of.rules[2].name = "rest";
  EXPECT_EQ(first_rule(of, asked_body("{}").asked, {})->name, "rest");
  EXPECT_EQ(first_rule(of, asked_body("{}").asked, {.task = {}, .project = {}, .work = request_class::batch})->name, "batch");
  EXPECT_EQ(first_rule(of, asked_body(R"({"tools":[{"type":"function"}]})").asked,
                       {.task = {}, .project = {}, .work = request_class::batch})->name, "tools");
  EXPECT_EQ(first_rule(route{}, asked_body("{}").asked, {}), nullptr);
}

TEST(RuleMatch, AllConditionsMustHold) {
  route_rule rule;
  rule.task = "apply", rule.project = "search";
  EXPECT_TRUE(holds(rule, "{}", {"apply", "search", {}}));
  EXPECT_FALSE(holds(rule, "{}", {"apply", "", {}}));
  EXPECT_FALSE(holds(rule, "{}", {"", "search", {}}));
}

TEST(RuleMatch, ToolsAreThoseThatAreThere) {
  route_rule with, without;
  with.tools = true, without.tools = false;
  for (const char* body : {R"({"tools":[{"type":"function"}]})", R"({"functions":[{"name":"f"}]})",
                           R"({"tools":{"type":"function"}})", R"({"tools":"all"})", R"({"tools":["f"]})"}) {
    EXPECT_TRUE(holds(with, body)) << body;
    EXPECT_FALSE(holds(without, body)) << body;
  }
  for (const char* body : {"{}", R"({"tools":[]})", R"({"tools":[ ]})", R"({"tools":null})"}) {
    EXPECT_FALSE(holds(with, body)) << body;
    EXPECT_TRUE(holds(without, body)) << body;
  }
}

TEST(RuleMatch, TheFormatOfAnAnswerIsChatsOrResponses) {
  route_rule text, object, schema;
  text.response_format = answer_format::text;
  object.response_format = answer_format::json_object;
  schema.response_format = answer_format::json_schema;
  EXPECT_TRUE(holds(text, "{}"));
  EXPECT_TRUE(holds(text, R"({"response_format":{"type":"text"}})"));
  EXPECT_TRUE(holds(text, R"({"response_format":null})"));
  for (const char* unknown : {R"("json_schema")", R"({"type":"grammar"})", R"({"type":7})", "[]"})
    for (const route_rule& each : {text, object, schema})
      EXPECT_FALSE(holds(each, R"({"response_format":)" + std::string(unknown) + "}")) << unknown;
  EXPECT_TRUE(holds(object, R"({"response_format":{"type":"json_\u006fbject"}})"));
  EXPECT_TRUE(holds(object, R"({"response_format":{"type":"json_object"}})"));
  EXPECT_TRUE(holds(schema, R"({"response_format":{"type":"json_schema","json_schema":{}}})"));
  EXPECT_TRUE(holds(schema, R"({"text":{"format":{"type":"json_schema"}}})"));
  EXPECT_FALSE(holds(schema, R"({"text":{"format":{"type":"json_object"}}})"));
}

TEST(RuleMatch, SizesAreBoundsOnBothSides) {
  route_rule rule;
  rule.min_input_tokens = 10, rule.max_input_tokens = 20;
  const auto prompt = [](std::size_t tokens) {
    return R"({"messages":")" + std::string(4 * tokens - 2, 'x') + "\"}";
  };
  EXPECT_FALSE(holds(rule, prompt(9)));
  EXPECT_TRUE(holds(rule, prompt(10)));
  EXPECT_TRUE(holds(rule, prompt(20)));
  EXPECT_FALSE(holds(rule, prompt(21)));
}

TEST(RuleMatch, MaxTokensIsWhatTheRequestAllows) {
  route_rule rule;
  rule.max_tokens = 64;
  EXPECT_TRUE(holds(rule, R"({"max_tokens":64})"));
  EXPECT_TRUE(holds(rule, R"({"max_completion_tokens":1})"));
  EXPECT_FALSE(holds(rule, R"({"max_tokens":65})"));
  EXPECT_FALSE(holds(rule, "{}")) << "it allows any number";
}

TEST(RuleMatch, AnEditToApplyIsKnownByItsShape) {
  route_rule rule;
  rule.is_apply = true;
  const auto asks = [](const std::string& text) { return R"({"messages":[{"role":"user","content":")" + text + R"("}]})"; };
  EXPECT_TRUE(holds(rule, asks("<instruction>rename it</instruction>\\n<code>int a;</code>\\n<update>int b;</update>")));
  EXPECT_TRUE(holds(rule, asks("<code>int a;</code>\\n<update>int b;</update>")));
  EXPECT_TRUE(holds(rule, asks("\\u003ccode\\u003eint a;\\u003c/code\\u003e\\u003cupdate\\u003eint b;\\u003c/update\\u003e")));
  EXPECT_TRUE(holds(rule, asks("<update>int b;</update><code>int a;</code> Keep the comments.")));
  EXPECT_TRUE(holds(rule, R"({"messages":[{"role":"user","content":[{"type":"text","text":"<code>int a;</code>"},)"
                          R"({"type":"text","text":"<update>int b;</update>"}]}]})"));
  EXPECT_FALSE(holds(rule, R"({"messages":[{"role":"user","content":"<code>int a;</code><update>int b;</update>"},)"
                           R"({"role":"assistant","content":"int b;"},{"role":"user","content":"thanks"}]})"))
      << "it is applied already";
  EXPECT_FALSE(holds(rule, asks("Explain what <code>int a;</code> <update>does</update>")));
  EXPECT_FALSE(holds(rule, asks("<code>int a;</code>")));
  EXPECT_FALSE(holds(rule, asks("<instruction>rename it</instruction><update>int b;</update>")));
  EXPECT_FALSE(holds(rule, "{}"));
}

TEST(RuleMatch, ATaskIsTheHeadersElseOneOfTheBodyThatTheConfigurationHas) {
  config settings;
  settings.names.tasks = {"apply", "reason"};
  const auto task = [&settings](const std::string& body, const std::string& header) {
    return task_of(asked_body(body).asked, {header, "", {}}, settings);
  };
  EXPECT_EQ(task("{}", ""), "");
  EXPECT_EQ(task(R"({"metadata":{"task":"apply"}})", ""), "apply");
  EXPECT_EQ(task(R"({"metadata":{"task":"apply"}})", "reason"), "reason");
  for (const char* body : {R"({"metadata":{"task":"theirs"}})", R"({"metadata":{"task":7}})", R"({"metadata":"apply"})"})
    EXPECT_EQ(task(body, ""), "") << body;
}

}  // namespace
}  // namespace photofinish::gateway
