// Tests that a client gets the same error, whichever provider refuses the request. Providers of each dialect report a refusal in their own
// format. Clients of each API get the same status, type and code, and the message of the provider.
#include "tests/integration/apis/conversation_fixture.hpp"
#include "tests/support/streams/frames.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

struct said_error {
  int status = 0;
  std::string body;
  std::string fields = {};
};

// One error in the formats of all dialects.
struct meaning {
  const char* name;
  const char* sentence;
  int status;             // the HTTP status that OpenAI and Gemini send
  const char* openai;     // its type
  const char* anthropic;  // its type
  int anthropic_status;
  const char* gemini;  // its status
  const char* bedrock;
  int bedrock_status;
};

const std::vector<meaning> meanings{
    {"a bad request", "The field is wrong", 400, "invalid_request_error", "invalid_request_error", 400, "INVALID_ARGUMENT",
     "ValidationException", 400},
    {"a forbidden model", "You may not use it", 403, "permission_error", "permission_error", 403, "PERMISSION_DENIED",
     "AccessDeniedException", 403},
    {"an unknown model", "There is none of that name", 404, "invalid_request_error", "not_found_error", 404, "NOT_FOUND",
     "ResourceNotFoundException", 404},
    {"a limit", "Slower, please", 429, "rate_limit_error", "rate_limit_error", 429, "RESOURCE_EXHAUSTED",
     "ThrottlingException", 429},
    {"a fault of its own", "We broke it", 500, "server_error", "api_error", 500, "INTERNAL", "InternalServerException",
     500},
};

using json = nlohmann::json;

std::map<std::string, said_error> in_each_dialect(const meaning& of) {
  const std::string sentence = of.sentence;
  const json openai = {{"error", {{"message", sentence}, {"type", of.openai}, {"param", nullptr}, {"code", nullptr}}}};
  const json anthropic = {{"type", "error"}, {"error", {{"type", of.anthropic}, {"message", sentence}}}};
  const json gemini = {{"error", {{"code", of.status}, {"message", sentence}, {"status", of.gemini}}}};
  return {{"chat", {of.status, openai.dump()}},
          {"responses", {of.status, openai.dump()}},
          {"anthropic", {of.anthropic_status, anthropic.dump()}},
          {"gemini", {of.status, gemini.dump()}},
          {"bedrock", {of.bedrock_status, json{{"message", sentence}}.dump(),
                       "x-amzn-errortype: " + std::string(of.bedrock) + ":http://internal.amazon.com/\r\n"}}};
}

class provider_errors_test : public conversation_fixture {
 protected:
  provider_errors_test() {
    add("chat", at("chat"));
    add("responses", at("responses")).apis = {served_api::responses};
    add_messages("anthropic", at("anthropic"));
    add_gemini("gemini", at("gemini"));
    proxy::provider& bedrock = add("bedrock", at("bedrock"));
    bedrock.dialect = "bedrock";
    bedrock.url.path.clear();
    add_route("from-chat", {"chat/m"});
    add_route("from-responses", {"responses/m"});
    add_route("from-anthropic", {"anthropic/claude-sonnet-5"});
    add_route("from-gemini", {"gemini/gemini-3-pro"});
    add_route("from-bedrock", {"bedrock/us.amazon.nova-2-lite-v1:0"});
  }

  const scripted_provider& at(const std::string& name) {
    return *providers_
                .emplace(name, std::make_unique<scripted_provider>([this, name](provider_call& call) {
                           const said_error& error = says_.at(name);
                           call.answer(error.status, error.body, error.fields);
                         }))
                .first->second;
  }

  // Sends a non-streaming request and a streaming request with each client API.
  std::vector<http_response> ask_for(const std::string& model) {
    std::vector<http_response> got;
    for (const bool is_stream : {false, true}) {
      got.push_back(chat({{"model", model}, {"stream", is_stream}}));
      got.push_back(respond({{"model", model}, {"stream", is_stream}}));
      got.push_back(message({{"model", model}, {"stream", is_stream}}));
    }
    return got;
  }

  std::map<std::string, said_error> says_;
  std::map<std::string, std::unique_ptr<scripted_provider>> providers_;
};

// Returns the JSON of an error without the error message.
json comparable(const http_response& got) {
  json error = json::parse(got.body).at("error");
  error.erase("message");
  return {{"status", got.status}, {"error", error}, {"retry-after", got.field_or("retry-after", "")}};
}

TEST_F(provider_errors_test, AreTheSameWhoeverSaysThem) {
  for (const meaning& each : meanings) {
    SCOPED_TRACE(each.name);
    says_ = in_each_dialect(each);
    const std::vector<http_response> first = ask_for("from-chat");
    for (const auto& [name, error] : says_) {
      SCOPED_TRACE(name);
      const std::vector<http_response> got = ask_for("from-" + name);
      for (std::size_t way = 0; way < got.size(); ++way) {
        SCOPED_TRACE(way);
        EXPECT_EQ(comparable(got[way]), comparable(first[way])) << got[way].body;
        const std::string message = json::parse(got[way].body).at("error").at("message");
        EXPECT_NE(message.find(each.sentence), std::string::npos) << message;
      }
    }
  }
}

// Some providers explain a failure in an error response or in a stream. The error for the client quotes this explanation on one line,
// without keys, and cuts it at a limit.

const std::string key = "sk-secret-0123456789abcdef";
const std::string sentence = "I may not talk\nabout that, " + key + ".";
const std::string shown = "I may not talk about that, [redacted].";

json error_of_words(const std::string& message, json more = json::object()) {
  more["message"] = message;
  return {{"error", more}};
}

// One error response for each provider API, in the format of that API.
json words_of_openai(const std::string& message) {
  return error_of_words(message, {{"type", "invalid_request_error"}, {"param", "prompt"}, {"code", "content_filter"}});
}
json words_of_anthropic(const std::string& message) {
  json error = error_of_words(message, {{"type", "invalid_request_error"}});
  error["type"] = "error";
  return error;
}
json words_of_google(const std::string& message) { return error_of_words(message, {{"code", 400}, {"status", "INVALID_ARGUMENT"}}); }
json words_of_a_response(const std::string& message) {
  const json error = {{"code", "invalid_prompt"}, {"message", message}};
  return {{"type", "response.failed"}, {"sequence_number", 0},
          {"response", {{"id", "r"}, {"status", "failed"}, {"output", json::array()}, {"error", error}}}};
}

struct words_of_a_dialect {
  const char* name;
  std::function<json(const std::string&)> error;                // returns the body of a response with an error status
  std::function<std::string(const std::string&)> event;         // returns the error event in a stream
  const char* content_type = "text/event-stream";
};
std::string named_event_of(const json& data, const std::string& name = "") {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data.dump() + "\n\n";
}
const std::vector<words_of_a_dialect> dialects{
    {"chat", words_of_openai, [](const std::string& why) { return named_event_of(words_of_openai(why)); }},
    {"responses", words_of_openai, [](const std::string& why) { return named_event_of(words_of_a_response(why), "response.failed"); }},
    {"claude", words_of_anthropic, [](const std::string& why) { return named_event_of(words_of_anthropic(why), "error"); }},
    {"gemini", words_of_google, [](const std::string& why) { return named_event_of(words_of_google(why)); }},
    {"bedrock", [](const std::string& why) { return json{{"message", why}}; },
     [](const std::string& why) { return test::exception_frame_of("validationException", json{{"message", why}}.dump()); },
     "application/vnd.amazon.eventstream"}};

class providers_words_test : public conversation_fixture {
 protected:
  providers_words_test() {
    for (const std::string name : {"chat", "responses", "claude", "gemini", "bedrock"}) add_route(name, {name + "/gpt-5-pro"});
    add("chat", provider_).key.value = proxy::secret(key);
    add("responses", provider_).apis = {served_api::responses};
    add_messages("claude", provider_);
    add_gemini("gemini", provider_);
    proxy::provider& bedrock = add("bedrock", provider_);
    bedrock.dialect = "bedrock";
    bedrock.url.path.clear();
    for (auto& [name, each] : settings.providers) each.key.value = proxy::secret(key);
  }

  // Sends a non-streaming request and a streaming request with each client, and returns the answers.
  std::vector<http_response> asked_by_each(const std::string& route) {
    std::vector<http_response> all;
    for (const bool is_stream : {true, false}) {
      all.push_back(chat({{"model", route}, {"stream", is_stream}}));
      all.push_back(respond({{"model", route}, {"stream", is_stream}}));
      all.push_back(message({{"model", route}, {"stream", is_stream}}));
    }
    return all;
  }

  static std::string said_in(const http_response& got) { return json::parse(got.body).at("error").at("message"); }

  void expect_said(const words_of_a_dialect& by) {
    for (const http_response& got : asked_by_each(by.name)) {
      SCOPED_TRACE(got.body);
      EXPECT_GE(got.status, 400);
      EXPECT_NE(said_in(got).find(shown), std::string::npos);
      EXPECT_EQ(got.body.find(key), std::string::npos);
    }
  }

  scripted_provider::script play_;
  scripted_provider provider_{[this](provider_call& call) { play_(call); }};
};

TEST_F(providers_words_test, ARefusedRequestIsExplained) {
  for (const words_of_a_dialect& each : dialects) {
    SCOPED_TRACE(each.name);
    play_ = [&each](provider_call& call) { call.answer(400, each.error(sentence).dump()); };
    expect_said(each);
  }
}

TEST_F(providers_words_test, SoIsTroubleOfAStreamBeforeItsFirstToken) {
  for (const words_of_a_dialect& each : dialects) {
    SCOPED_TRACE(each.name);
    play_ = [&each](provider_call& call) { call.answer(200, each.event(sentence), "", each.content_type); };
    expect_said(each);
  }
}

std::string events_of(const std::vector<json>& all) {
  std::string events;
  for (const json& each : all) events += named_event_of(each, each.value("type", ""));
  return events;
}

struct ended_answer {
  const char* name;
  const char* route;
  std::string body;
};

// Answers that a provider ends early. Each answer contains an explanation of the reason.
std::vector<ended_answer> explained_ends() {
  const json begun = {{"type", "message_start"},
                      {"message", {{"id", "m"}, {"type", "message"}, {"role", "assistant"}, {"content", json::array()},
                                   {"usage", {{"input_tokens", 1}, {"output_tokens", 1}}}}}};
  const json refused = {{"type", "message_delta"},
                        {"delta", {{"stop_reason", "refusal"}, {"stop_details", {{"explanation", sentence}}}}},
                        {"usage", {{"output_tokens", 1}}}};
  const json blocked = {{"promptFeedback", {{"blockReason", "SAFETY"}, {"blockReasonMessage", sentence}}}};
  const json stopped = json::parse(R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"SAFETY"}]})");
  json with_message = stopped;
  with_message["candidates"][0]["finishMessage"] = sentence;
  const json choice = {{"index", 0}, {"delta", {{"content", "a"}}}, {"finish_reason", "content_filter"},
                       {"native_finish_reason", key}, {"content_filter_results", {{"error", {{"message", sentence}}}}}};
  const json output = json::parse(R"([{"type":"message","content":[{"type":"output_text","text":"a"}]}])");
  const json cut = {{"type", "response.incomplete"},
                    {"response", {{"id", "r"}, {"object", "response"}, {"status", "incomplete"}, {"output", output},
                                  {"incomplete_details", {{"reason", sentence}}}}}};
  return {{"claude", "claude", events_of({begun, refused, {{"type", "message_stop"}}})},
          {"gemini, the prompt", "gemini", events_of({blocked})},
          {"gemini, the answer", "gemini", events_of({with_message})},
          {"chat", "chat", events_of({{{"id", "i"}, {"choices", json::array({choice})}}}) + "data: [DONE]\n\n"},
          {"responses", "responses", events_of({cut})}};
}

TEST_F(providers_words_test, WhyAnAnswerEndedIsSaidWithoutKeys) {
  for (const ended_answer& each : explained_ends()) {
    SCOPED_TRACE(each.name);
    play_ = [&each](provider_call& call) { call.answer(200, each.body, "", "text/event-stream"); };
    int explained = 0;
    for (const http_response& got : asked_by_each(each.route)) {
      EXPECT_EQ(got.status, 200) << got.body;
      EXPECT_EQ(got.body.find(key), std::string::npos) << got.body;
      if (got.body.find("[redacted]") != std::string::npos) ++explained;
    }
    EXPECT_GT(explained, 0);
  }
}

TEST_F(providers_words_test, AWordWithoutEndIsCut) {
  const std::string endless(60'000, 'x');
  for (const words_of_a_dialect& each : dialects) {
    SCOPED_TRACE(each.name);
    play_ = [&](provider_call& call) { call.answer(400, each.error(endless).dump()); };
    for (const http_response& got : asked_by_each(each.name)) {
      EXPECT_NE(said_in(got).find("xxxx"), std::string::npos);
      EXPECT_LT(got.body.size(), 3000u);
    }
  }
}

}  // namespace
}  // namespace photofinish::testing
