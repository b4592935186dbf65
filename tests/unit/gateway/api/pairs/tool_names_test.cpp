// Tests the names of tools in answers. The client must get the tool's name from its own request, even if the provider got another name. The
// tests cover every API and every dialect, with streamed and non-streamed answers. They include namespaces, custom tools, chat's older
// functions and Codex's tool search.
#include "tests/unit/gateway/api/pairs/answering.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

const json any_object = {{"type", "object"}, {"properties", json::object()}};

// Returns the name of the first tool in the provider's request.
std::string asked_name(wire_format format, const json& body) {
  switch (format) {
    case wire_format::openai_chat: return body.at("tools")[0].at("function").at("name");
    case wire_format::openai_responses: return body.at("tools")[0].at("name");
    case wire_format::anthropic_messages: return body.at("tools")[0].at("name");
    case wire_format::gemini: return body.at("tools")[0].at("functionDeclarations")[0].at("name");
    default: return body.at("toolConfig").at("tools")[0].at("toolSpec").at("name");
  }
}

// Returns the name of the client's first tool in a request of this format, or an empty string if the format has no tools.
std::string name_at(const reading_client& by, json request, wire_format format) {
  request["model"] = "m";
  proxy::tolerant_parser parser;
  const auto read = by.speaks.read(request.dump(), parser);
  if (!std::holds_alternative<parsed_request>(read)) return {};
  const asked_form form = form_for(std::get<parsed_request>(read), format);
  EXPECT_EQ(form.unsupported, "");
  return form.body ? asked_name(format, json::parse(form.body->json())) : std::string();
}

json with_tool(const reading_client& by, const std::string& name) {
  json request = by.request;
  const json function = {{"name", name}, {"parameters", any_object}};
  if (by.format == wire_format::openai_chat) request["tools"] = {{{"type", "function"}, {"function", function}}};
  if (by.format == wire_format::openai_responses) request["tools"] = {{{"type", "function"}, {"name", name}, {"parameters", any_object}}};
  if (by.format == wire_format::anthropic_messages) request["tools"] = {{{"name", name}, {"input_schema", any_object}}};
  return request;
}

// Returns the choices of a non-streamed chat answer, or of every chunk of a chat stream.
std::vector<json> choices_in(const std::string& bytes, bool is_stream) {
  if (!is_stream) return json::parse(bytes).at("choices").get<std::vector<json>>();
  std::vector<json> all;
  for (std::size_t at = bytes.find("data: {"); at != std::string::npos; at = bytes.find("data: {", at + 1)) {
    const json chunk = json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6));
    for (const json& each : chunk.value("choices", json::array())) all.push_back(each);
  }
  return all;
}

// Returns the response that results from a stream, as the strictest client would read it.
json response_of(const std::string& bytes) {
  const testing::strict_accumulator read(testing::read_named_events(bytes));
  EXPECT_EQ(read.fault, "");
  return read.response;
}

spoken_answer calling(std::string name, std::string arguments = R"({"path":"a"})") {
  return {.calls = {{"call_0123456789ab", std::move(name), std::move(arguments)}}, .finish = finish_reason::tool_calls};
}

void for_each_answer(const reading_client& by, const std::function<void(const answering_provider&, bool)>& check) {
  for (const answering_provider& from : providers)
    for (const bool is_stream : {true, false}) {
      SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
      if (from.format != by.format) check(from, is_stream);
    }
}

class AnswerNames : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(AnsweredTools, AnswerNames,
                         ::testing::Values("read", "fs.read", "fs/read", "ns:read", "read a file", "gr\xC3\xB6\xC3\x9F" "e",
                                           "\xE8\xAA\xAD\xE3\x82\x80", "2fa", "-x", "a\"b", std::string(80, 'x'), "_"));

TEST_P(AnswerNames, AreTheClientsOwn) {
  for (const reading_client& by : clients)
    for_each_answer(by, [&](const answering_provider& from, bool is_stream) {
      const json request = with_tool(by, GetParam());
      const spoken_answer got = read(by, request, sent_by(from, calling(name_at(by, request, from.format))), is_stream);
      ASSERT_EQ(got.calls.size(), 1u);
      EXPECT_EQ(got.calls[0].name, GetParam());
      EXPECT_EQ(got.calls[0].id, "call_0123456789ab");
      EXPECT_EQ(json::parse(got.calls[0].arguments), json::parse(R"({"path":"a"})"));
      EXPECT_EQ(got.finish, finish_reason::tool_calls);
    });
}

// A model may call a tool that only the earlier messages of the conversation mention.
TEST_P(AnswerNames, OfACallInTheHistoryAreTheClientsOwn) {
  const reading_client& by = clients[0];
  json request = by.request;
  request["messages"] = {{{"role", "user"}, {"content", "Hi"}},
                         {{"role", "assistant"}, {"content", nullptr},
                          {"tool_calls", {{{"id", "call_1"}, {"type", "function"}, {"function", {{"name", GetParam()}, {"arguments", "{}"}}}}}}},
                         {{"role", "tool"}, {"tool_call_id", "call_1"}, {"content", "red"}}};
  for (const bool is_stream : {true, false}) {
    const std::string name = name_at(by, request, wire_format::bedrock_converse);
    const spoken_answer got = read(by, request, sent_by(providers[4], calling(name)), is_stream);
    ASSERT_EQ(got.calls.size(), 1u);
    EXPECT_EQ(got.calls[0].name, GetParam());
  }
}

TEST_P(AnswerNames, OfANamespaceAreSplitAgain) {
  const reading_client& by = clients[1];
  json request = by.request;
  request["tools"] = {{{"type", "namespace"}, {"name", "mcp__fs"}, {"tools", {{{"type", "function"}, {"name", GetParam()}, {"parameters", any_object}}}}}};
  for_each_answer(by, [&](const answering_provider& from, bool is_stream) {
    const relayed_answer got = relay(by.speaks, request, sent_by(from, calling(name_at(by, request, from.format))), is_stream);
    const json item = is_stream ? response_of(got.bytes).at("output")[0] : json::parse(got.bytes).at("output")[0];
    EXPECT_EQ(item.at("name"), GetParam());
    EXPECT_EQ(item.at("namespace"), "mcp__fs");
  });
}

// The following tests cover the chat API's older functions.

TEST_P(AnswerNames, OfAnOldFunctionAreAFunctionCall) {
  const reading_client& by = clients[0];
  json request = by.request;
  request["functions"] = {{{"name", GetParam()}, {"parameters", any_object}}};
  for_each_answer(by, [&](const answering_provider& from, bool is_stream) {
    const relayed_answer got = relay(by.speaks, request, sent_by(from, calling(name_at(by, request, from.format))), is_stream);
    SCOPED_TRACE(got.bytes);
    std::string name, arguments, finish;
    for (const json& choice : choices_in(got.bytes, is_stream)) {
      const json& said = choice.at(is_stream ? "delta" : "message");
      EXPECT_FALSE(said.contains("tool_calls"));
      const json called = said.value("function_call", json::object());
      name += called.value("name", "");
      arguments += called.value("arguments", "");
      if (choice.at("finish_reason").is_string()) finish = choice["finish_reason"];
    }
    EXPECT_EQ(name, GetParam());
    EXPECT_EQ(json::parse(arguments), json::parse(R"({"path":"a"})"));
    EXPECT_EQ(finish, "function_call");
  });
}

TEST(AnsweredTools, AnOldFunctionsSecondCallIsNotLost) {
  json request = clients[0].request;
  request["functions"] = {{{"name", "read"}, {"parameters", any_object}}};
  spoken_answer said = calling("read");
  said.calls.push_back({"call_2", "read", R"({"path":"b"})"});
  const json message = json::parse(relay(chat, request, sent_by(providers[2], said), false).bytes).at("choices")[0].at("message");
  EXPECT_EQ(message.at("function_call").at("arguments"), R"({"path":"a"})");
  EXPECT_EQ(message.at("tool_calls").size(), 1u);
  EXPECT_EQ(message["tool_calls"][0].at("function").at("arguments"), R"({"path":"b"})");
}

// Custom tools

struct custom_call {
  std::string kind, name, input;
};

custom_call custom_call_in_chat(const std::string& bytes, bool is_stream) {
  custom_call all;
  for (const json& choice : choices_in(bytes, is_stream))
    for (const json& each : choice.at(is_stream ? "delta" : "message").value("tool_calls", json::array())) {
      EXPECT_FALSE(each.contains("function")) << each;
      all.kind += each.value("type", "");
      all.name += each.value("custom", json::object()).value("name", "");
      all.input += each.value("custom", json::object()).value("input", "");
    }
  return all;
}

TEST_P(AnswerNames, OfACustomToolInChatAreItsOwn) {
  const reading_client& by = clients[0];
  json request = by.request;
  request["tools"] = {{{"type", "custom"}, {"custom", {{"name", GetParam()}}}}};
  const std::string input = "*** \"a\"\n{}";
  for_each_answer(by, [&](const answering_provider& from, bool is_stream) {
    const bool is_own = from.format == wire_format::openai_responses;
    sent_answer sent = sent_by(from, calling(name_at(by, request, from.format), is_own ? input : json{{"input", input}}.dump()));
    for (const auto& [function, custom] : {std::pair<std::string, std::string>{"function_call_arguments", "custom_tool_call_input"},
                                           {"\"function_call\"", "\"custom_tool_call\""}, {"\"arguments\"", "\"input\""}})
      for (std::size_t at = 0; is_own && (at = sent.bytes.find(function, at)) != std::string::npos;)
        sent.bytes.replace(at, function.size(), custom);
    const custom_call got = custom_call_in_chat(relay(by.speaks, request, sent, is_stream).bytes, is_stream);
    EXPECT_EQ(got.kind, "custom");
    EXPECT_EQ(got.name, GetParam());
    EXPECT_EQ(got.input, input);
  });
}

TEST(AnsweredTools, ACustomToolsInputThatIsNoInputIsItself) {
  json request = clients[0].request;
  request["tools"] = {{{"type", "custom"}, {"custom", {{"name", "patch"}}}}};
  for (const std::string arguments : {R"({"patch":"x","file":"y"})", R"({"input":5})", "[1]"})
    for (const bool is_stream : {true, false}) {
      const relayed_answer got = relay(chat, request, sent_by(providers[2], calling("patch", arguments)), is_stream);
      EXPECT_EQ(custom_call_in_chat(got.bytes, is_stream).input, arguments);
    }
}

// The following tests cover Codex's tool search.

TEST(AnsweredTools, AToolSearchIsItsOwnItem) {
  const reading_client& by = clients[1];
  json request = by.request;
  request["tools"] = {{{"type", "tool_search"}, {"execution", "client"}, {"description", "Finds"}, {"parameters", any_object}}};
  for_each_answer(by, [&](const answering_provider& from, bool is_stream) {
    EXPECT_EQ(name_at(by, request, from.format), "tool_search");
    const relayed_answer got = relay(by.speaks, request, sent_by(from, calling("tool_search", R"({"goal":"weather"})")), is_stream);
    SCOPED_TRACE(got.bytes);
    const json item = is_stream ? response_of(got.bytes).at("output")[0] : json::parse(got.bytes).at("output")[0];
    EXPECT_EQ(item.at("type"), "tool_search_call");
    EXPECT_EQ(item.at("execution"), "client");
    EXPECT_EQ(item.at("call_id"), "call_0123456789ab");
    EXPECT_EQ(item.at("status"), "completed");
    EXPECT_EQ(item.at("arguments"), json::parse(R"({"goal":"weather"})"));
    EXPECT_EQ(got.bytes.find("function_call_arguments"), std::string::npos);
  });
}

}  // namespace
}  // namespace photofinish::gateway::pairs
