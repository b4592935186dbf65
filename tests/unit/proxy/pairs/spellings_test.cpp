// Tests different spellings that clients use for the same content, at every provider: schemas, data URLs, reasoning, cache marks. If a
// member has a wrong type that the gateway cannot convert, the answer must name the member.
#include "tests/unit/proxy/pairs/asked_providers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

const client& chat = clients[0];
const client& messages = clients[2];

bool names(const std::vector<std::string>& list, std::string_view what) {
  return std::any_of(list.begin(), list.end(), [what](const std::string& each) { return each.find(what) != std::string::npos; });
}

json first_schema(wire_format format, const json& body) {
  switch (format) {
    case wire_format::openai_chat: return body.at("tools")[0].at("function").at("parameters");
    case wire_format::openai_responses: return body.at("tools")[0].at("parameters");
    case wire_format::anthropic_messages: return body.at("tools")[0].at("input_schema");
    case wire_format::gemini: return body.at("tools")[0].at("functionDeclarations")[0].at("parametersJsonSchema");
    default: return body.at("toolConfig").at("tools")[0].at("toolSpec").at("inputSchema").at("json");
  }
}

json with_schema(const client& from, const json& schema) {
  if (from.format == wire_format::openai_chat)
    return {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"tools", {{{"type", "function"}, {"function", {{"name", "f"}, {"parameters", schema}}}}}}};
  if (from.format == wire_format::openai_responses)
    return {{"input", "Hi"}, {"store", false}, {"tools", {{{"type", "function"}, {"name", "f"}, {"strict", false}, {"parameters", schema}}}}};
  return {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"max_tokens", 9}, {"tools", {{{"name", "f"}, {"input_schema", schema}}}}};
}

// The following tests cover the schemas of tools.

struct schema_case {
  const char* name;
  const char* schema;
  std::set<std::string> properties;
  std::set<std::string> required;
};
void PrintTo(const schema_case& each, std::ostream* to) { *to << each.name; }

class ToolSchemas : public ::testing::TestWithParam<schema_case> {};
INSTANTIATE_TEST_SUITE_P(
    SpellingPairs, ToolSchemas,
    ::testing::Values(
        schema_case{"Plain", R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})", {"a"}, {"a"}},
        schema_case{"WithoutAType", R"({"properties":{"a":{"type":"string"}},"required":["a"]})", {"a"}, {"a"}},
        schema_case{"ATypeList", R"({"type":["object","null"],"properties":{"a":{"type":"string"}},"required":["a"]})", {"a"}, {"a"}},
        schema_case{"AnyOf", R"({"anyOf":[{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]},
            {"type":"object","properties":{"b":{},"c":{}},"required":["b"]},{"type":"null"}]})", {"a", "b", "c"}, {"b"}},
        schema_case{"OneOfByKind", R"({"type":"object","oneOf":[{"properties":{"kind":{"const":"x"},"a":{}},"required":["kind","a"]},
            {"properties":{"kind":{"const":"y"},"b":{}},"required":["kind"]}]})", {"kind", "a", "b"}, {"kind"}},
        schema_case{"AllOf", R"({"allOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]})",
                    {"a", "b"}, {"a", "b"}},
        schema_case{"ARef", R"({"$ref":"#/$defs/args","$defs":{"args":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"]},"b":{"type":"string"}}})",
                    {"a"}, {"a"}},
        schema_case{"AnOldRef", R"({"allOf":[{"$ref":"#/definitions/a~1b"}],"definitions":{"a/b":{"type":"object","properties":{"a":{}}}}})", {"a"}, {}},
        schema_case{"PropertiesBesideAnyOf", R"({"type":"object","properties":{"a":{}},"required":["a"],"anyOf":[{"required":["b"],"properties":{"b":{}}},{"required":["c"],"properties":{"c":{}}}]})",
                    {"a", "b", "c"}, {"a"}},
        schema_case{"AnEnum", R"({"enum":[{"a":1,"b":2},{"a":3},null]})", {"a", "b"}, {"a"}},
        schema_case{"Nested", R"({"anyOf":[{"$ref":"#/$defs/x"},{"allOf":[{"$ref":"#/$defs/x"},{"properties":{"b":{}},"required":["b"]}]}],
            "$defs":{"x":{"oneOf":[{"properties":{"a":{}},"required":["a"]}]}}})", {"a", "b"}, {"a"}},
        schema_case{"Itself", R"({"$ref":"#","properties":{"a":{"$ref":"#"}}})", {"a"}, {}},
        schema_case{"Empty", "{}", {}, {}}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ToolSchemas, AreObjectsThatLoseNoProperty) {
  const json schema = json::parse(GetParam().schema);
  for (const client& from : clients)
    for (const asked_provider& to : providers) {
      if (from.format == to.format) continue;
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      const asked got = ask(from, to, with_schema(from, schema));
      ASSERT_EQ(got.unsupported, "");
      const json sent = first_schema(to.format, got.body);
      SCOPED_TRACE(sent.dump());
      EXPECT_EQ(sent.at("type"), "object");
      for (const char* key : {"anyOf", "oneOf", "allOf", "enum", "$ref"}) EXPECT_FALSE(sent.contains(key)) << key;
      std::set<std::string> properties;
      const json held = sent.value("properties", json::object());
      for (const auto& [key, value] : held.items()) properties.insert(key);
      EXPECT_EQ(properties, GetParam().properties);
      EXPECT_EQ(sent.value("required", std::set<std::string>()), GetParam().required);
      for (const char* key : {"$defs", "definitions"})
        if (schema.contains(key)) { EXPECT_EQ(sent.at(key), schema[key]); }
    }
}

// If a schema has alternatives for one property, the gateway merges them. The merged property permits the values of all alternatives.
TEST(SpellingPairs, APropertyOfTwoKindsMayBeEither) {
  const json schema = json::parse(R"({"oneOf":[{"properties":{"kind":{"const":"x"}}},{"properties":{"kind":{"const":"y"}}},{"properties":{"kind":{"const":"x"}}}]})");
  const json sent = first_schema(wire_format::anthropic_messages, ask(chat, providers[2], with_schema(chat, schema)).body);
  EXPECT_EQ(sent.at("properties").at("kind"), json::parse(R"({"anyOf":[{"const":"x"},{"const":"y"}]})"));
}

// An answer's schema may be an object that forbids additional properties. When the gateway merges the parts of the schema, it must keep
// every property.
TEST(SpellingPairs, AnAnswersSchemaLosesNoProperty) {
  const auto sent = [](const char* schema) {
    const json format = {{"type", "json_schema"}, {"json_schema", {{"name", "n"}, {"schema", json::parse(schema)}}}};
    return ask(chat, providers[2], {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"response_format", format}});
  };
  const asked all = sent(R"({"type":"object","properties":{"x":{"allOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"$ref":"#/$defs/b"}]}},
      "$defs":{"b":{"type":"object","properties":{"b":{}},"required":["b"]}}})");
  const json x = all.body.at("output_config").at("format").at("schema").at("properties").at("x");
  EXPECT_EQ(x, json::parse(R"({"type":"object","properties":{"a":{},"b":{}},"required":["a","b"],"additionalProperties":false})"));
  const asked any = sent(R"({"type":"object","properties":{"a":{}},"required":["a"],"anyOf":[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}}}]})");
  EXPECT_EQ(any.body.at("output_config").at("format").at("schema"),
            json::parse(R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a"],"additionalProperties":false})"));
  EXPECT_TRUE(names(any.dropped, "response_format.json_schema"));
  const asked plain = sent(R"({"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"null"}]})");
  EXPECT_EQ(plain.body.at("output_config").at("format").at("schema").at("anyOf").size(), 2u);
}

// Data URLs

struct url_case {
  const char* url;  // the URL as it is written in JSON
  const char* type;
};

std::string sent_image(wire_format format, const json& body) {
  const json& said = body.at(format == wire_format::openai_responses ? "input" : format == wire_format::gemini ? "contents" : "messages");
  const json& part = said[0].at(format == wire_format::gemini ? "parts" : "content")[0];
  const auto of_url = [](const std::string& url) { return url.substr(5); };
  switch (format) {
    case wire_format::openai_chat: return of_url(part.at("image_url").at("url"));
    case wire_format::openai_responses: return of_url(part.at("image_url"));
    case wire_format::anthropic_messages:
      return part.at("source").at("media_type").get<std::string>() + ";base64," + part["source"].at("data").get<std::string>();
    case wire_format::gemini:
      return part.at("inlineData").at("mimeType").get<std::string>() + ";base64," + part["inlineData"].at("data").get<std::string>();
    default:
      return "image/" + part.at("image").at("format").get<std::string>() + ";base64," + part["image"].at("source").at("bytes").get<std::string>();
  }
}

TEST(SpellingPairs, DataUrlsAreComparedWithoutCaseAndDecoded) {
  for (const auto& [url, type] : std::vector<url_case>{{"data:image/png;base64,QQ==", "image/png"}, {"DATA:image/png;base64,QQ==", "image/png"},
                                                       {"data:image/PNG;BASE64,QQ==", "image/png"}, {"data:image\\/jpg;base64,QQ==", "image/jpeg"},
                                                       {"data:image\\/Jpeg;charset=x;Base64,QQ==", "image/jpeg"}, {"Data:image\\u002fwebp;base64,QQ==", "image/webp"}})
    for (const client& from : {clients[0], clients[1]})
      for (const asked_provider& to : providers) {
        if (from.format == to.format) continue;
        SCOPED_TRACE(std::string(url) + " from " + from.name + " to " + to.name);
        const std::string quoted = "\"" + std::string(url) + "\"";
        const asked got = from.format == wire_format::openai_chat
                              ? ask_text(from, to, R"("messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":)" + quoted + "}}]}]")
                              : ask_text(from, to, R"("store":false,"input":[{"role":"user","content":[{"type":"input_image","image_url":)" + quoted + "}]}]");
        ASSERT_EQ(got.unsupported, "");
        EXPECT_EQ(sent_image(to.format, got.body), std::string(type) + ";base64,QQ==") << got.body;
      }
}

TEST(SpellingPairs, MediaTypesAreComparedWithoutCaseAndDecoded) {
  for (const auto& [given, type] : std::vector<url_case>{{"image/PNG", "image/png"}, {"image\\/jpg", "image/jpeg"}, {"Image/Webp", "image/webp"}})
    for (const asked_provider& to : providers) {
      if (to.format == messages.format) continue;
      SCOPED_TRACE(std::string(given) + " to " + to.name);
      const asked got = ask_text(messages, to, R"("max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":")" +
          std::string(given) + R"(","data":"QQ=="}}]}])");
      ASSERT_EQ(got.unsupported, "");
      EXPECT_EQ(sent_image(to.format, got.body), std::string(type) + ";base64,QQ==") << got.body;
    }
}

TEST(SpellingPairs, DocumentsAndWebAddressesAreComparedWithoutCase) {
  for (const asked_provider& to : providers) {
    if (to.format == chat.format) continue;
    SCOPED_TRACE(to.name);
    const asked file = ask_text(chat, to, R"("messages":[{"role":"user","content":[{"type":"text","text":"Read"},
        {"type":"file","file":{"filename":"a.pdf","file_data":"DATA:application\/PDF;BASE64,JVBERi0="}}]}])");
    EXPECT_EQ(file.unsupported, "");
    EXPECT_NE(file.body.dump().find("JVBERi0="), std::string::npos);
    EXPECT_EQ(file.body.dump().find("PDF;"), std::string::npos) << file.body;
    if (std::string_view(to.dialect) == "bedrock") continue;  // Bedrock does not load media from the web
    const asked web = ask_text(chat, to, R"("messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"HTTPS:\/\/x.example\/y.PNG"}}]}])");
    EXPECT_EQ(web.unsupported, "");
    if (to.format == wire_format::gemini) {
      EXPECT_EQ(web.body.at("contents")[0].at("parts")[0].at("fileData").value("mimeType", ""), "image/png");
    }
  }
}

// The following tests cover other spellings of members in chat requests.

json hi(const json& more) {
  json request = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"max_tokens", 9000}};
  if (more.is_object()) request.update(more);
  return request;
}

TEST(SpellingPairs, ReasoningIsUnderstoodInEverySpelling) {
  const std::vector<std::pair<json, json>> same{{{{"reasoning", {{"effort", "high"}}}}, {{"reasoning_effort", "high"}}},
                                                {{{"reasoning", {{"enabled", false}}}}, {{"reasoning_effort", "none"}}},
                                                {{{"reasoning", {{"enabled", true}}}}, {{"reasoning_effort", "medium"}}},
                                                {{{"thinking", {{"type", "disabled"}}}}, {{"reasoning_effort", "none"}}},
                                                {{{"thinking", {{"type", "adaptive"}}}, {"reasoning_effort", "low"}}, {{"reasoning_effort", "low"}}},
                                                {{{"thinking", {{"type", "enabled"}, {"budget_tokens", 4096}}}}, {{"reasoning", {{"max_tokens", 4096}}}}}};
  for (const auto& [one, other] : same)
    for (const asked_provider& to : providers) {
      if (to.format == chat.format) continue;
      SCOPED_TRACE(one.dump() + " to " + to.name);
      const asked got = ask(chat, to, hi(one)), expected = ask(chat, to, hi(other));
      EXPECT_EQ(got.unsupported, "");
      EXPECT_EQ(got.body, expected.body);
      EXPECT_EQ(got.dropped, expected.dropped);
    }
}

TEST(SpellingPairs, AReasoningBudgetIsKeptOrNamed) {
  for (const asked_provider& to : providers) {
    if (to.format == chat.format) continue;
    SCOPED_TRACE(to.name);
    const asked plain = ask(chat, to, hi({}));
    const asked got = ask(chat, to, hi({{"thinking", {{"type", "enabled"}, {"budget_tokens", 4096}}}}));
    EXPECT_TRUE(got.body != plain.body || names(got.dropped, "reasoning") || names(got.dropped, "thinking")) << got.body;
  }
}

std::size_t times_named(const asked& got, std::string_view name) {
  return static_cast<std::size_t>(std::count(got.dropped.begin(), got.dropped.end(), name));
}

TEST(SpellingPairs, MembersThatNoReaderKnowsAreNamedOnce) {
  const json part = {{"type", "text"}, {"text", "t"}, {"yy", 1}};
  const json function = {{"type", "function"}, {"function", {{"name", "f"}, {"zz", 1}, {"off", false}}}, {"xx", 1}};
  const json asks{{"messages", {{{"role", "user"}, {"content", {part, part}}}}}, {"tools", {function}}};
  const json tool = {{"name", "f"}, {"input_schema", {{"type", "object"}}}, {"defer_loading", true}, {"eager_input_streaming", true}, {"zz", 1}};
  const json asked_by_messages{{"max_tokens", 9}, {"messages", {{{"role", "user"}, {"content", {part}}}}}, {"tools", {tool}}};
  for (const asked_provider& to : providers) {
    SCOPED_TRACE(to.name);
    if (to.format != chat.format) {
      const asked got = ask(chat, to, asks);
      for (const char* const name : {"messages[].content[].yy", "tools[].function.zz", "tools[].xx"}) EXPECT_EQ(times_named(got, name), 1u) << name;
      EXPECT_FALSE(names(got.dropped, "off"));
    }
    if (to.format != messages.format) {
      const asked got = ask(messages, to, asked_by_messages);
      for (const char* const name : {"messages[].content[].yy", "defer_loading", "eager_input_streaming", "tools[].zz"})
        EXPECT_EQ(times_named(got, name), 1u) << name;
    }
  }
}

TEST(SpellingPairs, TheDetailOfAnImageIsKeptOrNamed) {
  for (const char* const detail : {"low", "auto"}) {
    const json image = {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,QQ=="}, {"detail", detail}}}};
    for (const asked_provider& to : providers) {
      SCOPED_TRACE(to.name);
      const asked got = ask(chat, to, {{"messages", {{{"role", "user"}, {"content", {image, image}}}}}});
      if (!got.unsupported.empty()) continue;
      const bool has_words = to.format == wire_format::openai_chat || to.format == wire_format::openai_responses;
      EXPECT_EQ(times_named(got, "image_url.detail"), !has_words && detail == std::string_view("low") ? 1u : 0u);
    }
  }
}

TEST(SpellingPairs, ASchemaWithoutPropertiesIsNamedIfItHadSome) {
  for (const char* const lost : {R"({"type":"array","items":{}})", R"({"$ref":"https://example.com/s.json"})", R"({"$ref":"#"})"})
    for (const client& from : clients)
      for (const asked_provider& to : providers) {
        if (to.format == from.format) continue;
        SCOPED_TRACE(std::string(lost) + " to " + to.name);
        const asked got = ask(from, to, with_schema(from, json::parse(lost)));
        EXPECT_TRUE(names(got.dropped, "parameters") || names(got.dropped, "input_schema"));
        const asked plain = ask(from, to, with_schema(from, {{"type", "object"}}));
        EXPECT_FALSE(names(plain.dropped, "parameters") || names(plain.dropped, "input_schema"));
      }
}

TEST(SpellingPairs, CacheMarksAreKeptOrNamed) {
  const json mark = {{"type", "ephemeral"}};
  const json inside = {{"type", "function"}, {"function", {{"name", "f"}, {"cache_control", mark}}}};
  const json beside = {{"type", "function"}, {"function", {{"name", "f"}}}, {"cache_control", mark}};
  const json image = {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64,QQ=="}}}, {"cache_control", mark}};
  for (const json& more : {json{{"tools", {inside}}}, json{{"tools", {beside}}}, json{{"cache_control", mark}},
                           json{{"messages", {{{"role", "user"}, {"content", "Hi"}, {"cache_control", mark}}}}},
                           json{{"messages", {{{"role", "user"}, {"content", {image}}}}}},
                           json{{"messages", {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "Hi"}}}}, {"cache_control", mark}}}}},
                           json{{"messages", {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "Hi"}, {"cache_control", mark}}}}}}}}})
    for (const asked_provider& to : providers) {
      if (to.format == chat.format) continue;
      SCOPED_TRACE(more.dump() + " to " + to.name);
      const asked got = ask(chat, to, hi(more));
      EXPECT_EQ(got.unsupported, "");
      const bool is_kept = got.body.dump().find("cache_control") != std::string::npos || got.body.dump().find("cachePoint") != std::string::npos;
      EXPECT_TRUE(is_kept || names(got.dropped, "cache_control")) << got.body;
      if (to.format == wire_format::anthropic_messages) { EXPECT_TRUE(is_kept && !names(got.dropped, "cache_control")) << got.body; }
    }
}

TEST(SpellingPairs, CustomToolsAreAskedForAndTheirCallsAreHistory) {
  const json request = json::parse(R"({"messages":[{"role":"user","content":"Patch"},
      {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"custom","custom":{"name":"patch.it","input":"*** a\n\"b\""}}]},
      {"role":"tool","tool_call_id":"call_1","content":"done"}],
      "tools":[{"type":"custom","custom":{"name":"patch.it","description":"Patches","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: /a/"}}}}]})");
  for (const asked_provider& to : providers) {
    if (to.format == chat.format) continue;
    SCOPED_TRACE(to.name);
    const asked got = ask(chat, to, request);
    ASSERT_EQ(got.unsupported, "");
    const std::string sent = got.body.dump();
    EXPECT_NE(sent.find("Patches"), std::string::npos);
    EXPECT_NE(sent.find("*** a"), std::string::npos) << sent;
    if (to.format != wire_format::openai_responses) { EXPECT_TRUE(names(got.dropped, "format")); }
    else { EXPECT_EQ(got.body.at("tools")[0].at("format"), json::parse(R"({"type":"grammar","syntax":"lark","definition":"start: /a/"})")); }
  }
}

// Vendors reject a request with status 400 if a member has a wrong type.
TEST(SpellingPairs, AMemberOfAWrongTypeIsNamed) {
  const auto tool = [](const json& function) { return json{{"tools", {{{"type", "function"}, {"function", function}}}}}; };
  const std::vector<std::pair<std::string, json>> wrong{
      {"temperature", {{"temperature", "hot"}}}, {"top_p", {{"top_p", true}}}, {"top_k", {{"top_k", "5"}}}, {"max_tokens", {{"max_tokens", "many"}}},
      {"stop", {{"stop", 5}}}, {"stop", {{"stop", {1, 2}}}}, {"user", {{"user", 5}}}, {"reasoning_effort", {{"reasoning_effort", 5}}},
      {"reasoning", {{"reasoning", "high"}}}, {"thinking", {{"thinking", true}}}, {"response_format", {{"response_format", "json"}}},
      {"parameters", tool({{"name", "f"}, {"parameters", "none"}})}, {"description", tool({{"name", "f"}, {"description", 5}})},
      {"parallel_tool_calls", tool({{"name", "f"}})}, {"tool_choice", tool({{"name", "f"}})}, {"tool_choice", tool({{"name", "f"}})}};
  const std::vector<json> choices{json{{"parallel_tool_calls", "yes"}}, json{{"tool_choice", 5}}, json{{"tool_choice", "sometimes"}}};
  for (std::size_t at = 0; at < wrong.size(); ++at)
    for (const asked_provider& to : providers) {
      if (to.format == chat.format) continue;
      json request = hi(wrong[at].second);
      if (at + choices.size() >= wrong.size()) request.update(choices[at + choices.size() - wrong.size()]);
      SCOPED_TRACE(request.dump() + " to " + to.name);
      const asked got = ask(chat, to, request);
      EXPECT_TRUE(got.unsupported.find(wrong[at].first) != std::string::npos || names(got.dropped, wrong[at].first))
          << got.body << got.unsupported;
    }
}

TEST(SpellingPairs, ANumberOfAWrongTypeIsNamedForEveryClient) {
  for (const client& from : clients)
    for (const asked_provider& to : providers) {
      if (to.format == from.format) continue;
      json request = from.request({.items = {user("Hi")}});
      request["temperature"] = "hot";
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      const asked got = ask(from, to, request);
      EXPECT_TRUE(got.unsupported == "temperature" || names(got.dropped, "temperature")) << got.body;
    }
}

}  // namespace
}  // namespace photofinish::proxy::pairs
