// Checks for every API, place and spelling that no text reaches a provider before the guardrail has seen it. The gateway may also refuse to
// send the request.
#include "tests/integration/guardrails/sent_texts_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

class sent_texts_test : public sent_texts_fixture, public ::testing::WithParamInterface<const char*> {};
class sent_forms_test : public sent_texts_fixture {};

TEST_P(sent_texts_test, EachTextThatIsSentWasShown) {
  expect_shown(conversation_places, GetParam());
  EXPECT_GE(cases_, 432u);
  EXPECT_GT(sent_cases_, 50u) << "a gateway that refuses everything shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Targets, sent_texts_test, ::testing::Values("openai", "responses", "claude", "gemini", "bedrock"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(sent_forms_test, EachTextOfOtherApisThatIsSentWasShown) {
  expect_shown(other_places, "openai");
  EXPECT_GT(sent_cases_, 40u);
}

// Providers of other dialects get the arguments of a tool call as an object, in which JSON escapes are decoded.
TEST_F(sent_forms_test, ArgumentsAreShownAsTheTextThatTheyHold) {
  start();
  const std::string call =
      R"({"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\u007aq1x\"}"}}]})";
  for (const char* model : {"openai", "claude", "gemini", "bedrock"}) {
    const passage made = pass("/v1/chat/completions", R"({"model":")" + std::string(model) +
                                                          R"(","messages":[{"role":"user","content":"a"},)" + call +
                                                          R"(,{"role":"tool","tool_call_id":"c","content":"r"}]})");
    EXPECT_EQ(made.sent.count("zq1x"), 1u) << model;
    EXPECT_EQ(made.shown.count("zq1x"), 1u) << model;
  }
}

// The request contains the base64 code of "the zq1x text". Claude receives the decoded text.
TEST_F(sent_forms_test, TextInBase64IsShownAsText) {
  start();
  const passage made = pass("/v1/chat/completions",
                            R"({"model":"claude","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.txt",
                            "file_data":"data:text/plain;base64,dGhlIHpxMXggdGV4dA=="}}]}]})");
  EXPECT_EQ(made.sent.count("zq1x"), 1u);
  EXPECT_EQ(made.shown.count("zq1x"), 1u);
}

struct form_case {
  const char* name;
  std::string part;
};

TEST_F(sent_forms_test, EachTextOfAFormIsShown) {
  start();
  const std::string field = "Content-Disposition: form-data; name=";
  const form_case cases[] = {
      {"a field", field + "\"language\"\r\n\r\nzq1x"},
      {"a field with a NUL", field + "\"language\"\r\n\r\nzq1x" + std::string(1, '\0')},
      {"a field with a broken byte", field + "\"language\"\r\n\r\nzq1x\xff"},
      {"a field's name", field + "\"zq1x\"\r\n\r\nen"},
      {"a file of text", field + "\"notes\"; filename=\"a.txt\"\r\n\r\nzq1x"},
      {"a file's name", field + "\"file\"; filename=\"zq1x.wav\"\r\n\r\nRIFF"},
      {"another parameter of the head", field + "\"language\"; note=\"zq1x\"\r\n\r\nen"},
      {"another line of the head", field + "\"language\"\r\nX-Note: zq1x\r\n\r\nen"},
      {"the type of a part", field + "\"language\"\r\nContent-Type: zq1x/a\r\n\r\nen"},
  };
  for (const form_case& each : cases) {
    const std::string body = "--b\r\n" + field + "\"model\"\r\n\r\nopenai\r\n--b\r\n" + field +
                             "\"file\"; filename=\"a.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF\xff\r\n--b\r\n" +
                             each.part + "\r\n--b--\r\n";
    test_client client = connect();
    {
      const std::lock_guard lock(heard_guard_);
      shown_.clear();
      sent_.clear();
    }
    client.send("POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n"
                "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    const http_response got = client.read();
    const std::lock_guard lock(heard_guard_);
    ASSERT_EQ(sent_.size(), 1u) << each.name << got.body;
    EXPECT_NE(sent_.front().find("zq1x"), std::string::npos) << each.name;
    EXPECT_NE(shown_.find("zq1x"), std::string::npos) << each.name;
  }
}

class repeated_members_test : public sent_texts_fixture {
 protected:
  http_response ask(const std::string& body, const std::string& path = "/v1/chat/completions") {
    test_client client = connect();
    client.post(body, "anthropic-version: 2023-06-01\r\n", path);
    return client.read();
  }
  std::size_t sent() { return recorder_.requests().size(); }
};

const std::string twice = R"({"model":"openai","messages":[{"role":"user","content":"a"},{"role":"user","content":"b","conten\u0074":"c"}]})";

TEST_F(repeated_members_test, TheRefusalNamesTheMember) {
  start();
  const http_response got = ask(twice);
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("param"), "messages[1].content");
  EXPECT_NE(got.error("message").find("'messages[1].content' is given twice"), std::string::npos) << got.body;
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(sent(), 0u);
}

// No rule or guardrail of the route depends on the content. Therefore the gateway accepts a JSON member that occurs twice, and the provider
// decides what to do with it.
TEST_F(repeated_members_test, ARouteThatDecidesNothingSendsThemOn) {
  pii().routes = {"fast"};
  start();
  ask(twice);
  EXPECT_EQ(sent(), 1u);
}

TEST_F(repeated_members_test, EachDecisionRefusesThem) {
  pii().routes = {"fast"};
  const auto derived = [this](const std::string& name) -> gateway::route& { return add_route(name, {"openai/m"}); };
  derived("cached").cache.emplace();
  derived("refusing").race.stored = racing::stored_answers::refuse;
  gateway::route_rule rule;
  rule.name = "tools";
  rule.tools = true;
  rule.race = derived("ruled").race;
  settings.routes["ruled"].rules.push_back(rule);
  add("strict", recorder_).behaves.reject_params = {"logit_bias"};
  add_route("strict", {"strict/m"});
  derived("limited").limits.tokens_per_minute = 1'000'000;
  proxy::provider& known = add("known", recorder_);
  known.facts["*"].context = 1'000'000;
  add_route("known", {"known/m"});
  start();
  for (const char* route : {"cached", "refusing", "ruled", "strict", "limited", "known"}) {
    std::string body = twice;
    body.replace(body.find("openai"), 6, route);
    EXPECT_EQ(ask(body).error("param"), "messages[1].content") << route;
  }
  EXPECT_EQ(sent(), 0u);
}

TEST_F(repeated_members_test, AFormsFieldThatIsGivenTwiceIsRefusedWhereItDecides) {
  pii().routes = {"fast"};
  add("strict", recorder_).behaves = settings.providers.at("openai").behaves;
  settings.providers.at("strict").apis = {proxy::served_api::audio};
  settings.providers.at("strict").behaves.reject_params = {"prompt"};
  add_route("strict", {"strict/m"});
  start();
  const std::string field = "--b\r\nContent-Disposition: form-data; name=";
  const auto form = [&field](const std::string& more) {
    return field + "\"model\"\r\n\r\nstrict\r\n" + field + "\"file\"; filename=\"a.wav\"\r\n\r\nRIFF\xff\r\n" + more + "--b--\r\n";
  };
  const auto send = [this](const std::string& body) {
    test_client client = connect();
    client.send("POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n"
                "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read();
  };
  EXPECT_EQ(send(form(field + "\"prompt\"\r\n\r\n\r\n" + field + "\"prompt\"\r\n\r\nb\r\n")).error("param"), "prompt");
  EXPECT_EQ(sent(), 0u);
  const std::string listed = field + "\"timestamp_granularities[]\"\r\n\r\n";
  EXPECT_EQ(send(form(listed + "word\r\n" + listed + "segment\r\n")).error("message").find("is given twice"), std::string::npos);
  EXPECT_EQ(sent(), 1u);
}

// Some providers read the text "true" in `store` as the value true. They would then store the answer of each attempt.
TEST_F(repeated_members_test, NoSpellingOfStoreIsReadAsFalse) {
  pii().routes = {"fast"};
  add_route("refusing", {"openai/m"}).race.stored = racing::stored_answers::refuse;
  add_route("keeping", {"responses/m"}).race.stored = racing::stored_answers::refuse;
  start();
  for (const char* value : {R"("true")", "1", R"("1")", "[true]", R"({"a":1})", R"("tru\u0065")"}) {
    const std::string text = value;
    EXPECT_EQ(ask(R"({"model":"refusing","messages":[{"role":"user","content":"a"}],"store":)" + text + "}").error("param"), "store") << value;
    for (const char* member : {"store", "background"})
      EXPECT_EQ(ask(R"({"model":"keeping","input":"a",")" + std::string(member) + R"(":)" + text + "}", "/v1/responses").error("param"), member) << value;
  }
  EXPECT_EQ(sent(), 0u);
  for (const char* value : {"false", "null"})
    ask(R"({"model":"refusing","messages":[{"role":"user","content":"a"}],"store":)" + std::string(value) + "}");
  EXPECT_EQ(sent(), 2u);
}

}  // namespace
}  // namespace photofinish::testing
