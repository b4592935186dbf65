// Tests every rule for today's models. A client's request must reach its vendor in a form that the vendor accepts, or the target must be
// skipped with a reason. strict_vendors.hpp simulates the vendors.
#include "proxy/conversation/writers/request_forms.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/providers/known_facts.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/providers/service_tiers.hpp"
#include "tests/unit/proxy/rules/strict_vendors.hpp"
#include "tests/unit/proxy/rules/wire_case.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy::rules {
namespace {

using nlohmann::json;

struct sent {
  vendor_request request;
  wire_format format = wire_format::none;
  std::vector<std::string> dropped;
  std::string skipped;
};

provider preset_target(const std::string& name, const std::string& place = "us-east-1") {
  const preset& known = presets().at(name);
  provider target = known.defaults;
  if (known.needs.empty()) return target;
  std::map<std::string, std::string> params;
  for (const auto& [placeholder, variable] : known.needs) params[placeholder] = place;
  target.url = *fill_base_url(known, params).url;
  return target;
}

provider own_target(const std::string& dialect, const std::string& url, served_apis apis) {
  provider target;
  target.name = "own";
  target.dialect = dialect;
  target.url = *parse_base_url(url).url;
  target.apis = apis;
  return target;
}

provider target_of(const std::string& text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return preset_target(text);
  const std::string kind = text.substr(0, blank), rest = text.substr(blank + 1);
  if (kind == "global") return preset_target(rest, "global");
  if (kind == "openai") return own_target("openai", rest, {served_api::chat, served_api::responses});
  if (rest.find("://") != std::string::npos) return own_target("openai", rest, {served_api::chat});
  provider target = preset_target(rest);
  if (kind == "chat-only") target.apis = {served_api::chat};
  else target.behaves.drop_params.emplace_back("tool_choice");
  return target;
}

struct client {
  const char* name;
  wire_format format;
  request_forms::reader read;
};
constexpr client clients[] = {{"chat", wire_format::openai_chat, read_chat},
                              {"responses", wire_format::openai_responses, read_responses},
                              {"messages", wire_format::anthropic_messages, read_messages}};

std::string format_name(wire_format format) {
  for (const client& each : clients)
    if (each.format == format) return each.name;
  return "another";
}

std::vector<std::pair<std::string, std::string>> betas_of(json& request) {
  std::string list;
  for (const json& each : request.value("betas", json::array())) list.append(list.empty() ? "" : ", ").append(each.get<std::string>());
  request.erase("betas");
  if (list.empty()) return {};
  return {{"anthropic-beta", list}};
}

sent send(const wire_case& each) {
  const auto is_it = [&](const client& one) { return one.name == std::string(each.client); };
  const client& from = *std::find_if(std::begin(clients), std::end(clients), is_it);
  const provider target = target_of(each.target);
  const dialect& speaks = *find_dialect(target.dialect);
  json request = json::parse(each.request);
  const auto forwarded = betas_of(request);
  const auto tier = tier_in_name(target, each.model);
  const std::string model(tier ? without_tier(each.model) : std::string_view(each.model));
  request["model"] = model;
  auto body = std::make_shared<const client_body>(request.dump());
  sent made;
  made.format = speaks.speaks(from.format, target, model, *body);
  request_forms forms(body, from.read);
  const bool is_translated = made.format != from.format;
  if (is_translated) {
    const translated_request* const form = forms.in(made.format);
    made.skipped = form == nullptr ? "format" : form->unsupported;
    if (!made.skipped.empty()) return made;
    body = form->body;
    made.dropped = form->dropped;
  }
  if (const auto param = speaks.unsupported(*body, made.format, target)) made.skipped = *param;
  else if (const auto of_model = speaks.unsupported_by_model(*body, made.format, model, target)) made.skipped = *of_model;
  if (!made.skipped.empty()) return made;
  const secret key("k");
  prepared_request prepared = speaks.prepare({.body = body, .format = made.format, .target = target, .model = model, .key = key,
                                              .forwarded = forwarded, .is_translated = is_translated, .tier = tier});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  made.request = {target.url.host, prepared.head.path, model, {}, json::parse(text)};
  for (const auto& [name, value] : prepared.head.fields) made.request.headers[name] = value;
  made.dropped.insert(made.dropped.end(), prepared.dropped.begin(), prepared.dropped.end());
  return made;
}

std::vector<wire_case> all_cases() {
  std::vector<wire_case> all = openai_cases();
  for (const auto& more : {claude_cases(), other_cases(), tier_cases()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

class WireRules : public ::testing::TestWithParam<wire_case> {};
INSTANTIATE_TEST_SUITE_P(Today, WireRules, ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(WireRules, AreKept) {
  const wire_case& each = GetParam();
  const json expected = json::parse(each.expected);
  const sent got = send(each);
  ASSERT_EQ(got.skipped, expected.value("skipped", ""));
  if (!got.skipped.empty()) return;
  SCOPED_TRACE(got.request.body.dump());
  EXPECT_EQ(refusal_of(got.request), "");
  if (expected.contains("format")) { EXPECT_EQ(format_name(got.format), expected["format"]); }
  if (expected.contains("path")) { EXPECT_EQ(got.request.path, expected["path"]); }
  const json has = expected.value("has", json::object()), header = expected.value("header", json::object());
  for (const auto& [pointer, value] : has.items())
    EXPECT_EQ(got.request.body.value(json::json_pointer(pointer), json("nothing")), value) << pointer;
  const json lacks = expected.value("lacks", json::array());
  for (const json& pointer : lacks)
    EXPECT_FALSE(got.request.body.contains(json::json_pointer(pointer.get<std::string>()))) << pointer;
  for (const auto& [name, value] : header.items()) {
    const auto there = got.request.headers.find(name);
    EXPECT_EQ(there == got.request.headers.end() ? "" : there->second, value) << name;
  }
  if (!expected.contains("dropped")) return;
  std::vector<std::string> wanted = expected["dropped"], dropped = got.dropped;
  std::sort(wanted.begin(), wanted.end());
  std::sort(dropped.begin(), dropped.end());
  EXPECT_EQ(dropped, wanted);
}

TEST(WireFacts, ContextAndOutputAreThoseOfTheModel) {
  const auto facts = [](const char* target, const char* model) { return known_facts(target_of(target), model); };
  EXPECT_EQ(facts("openai", "gpt-5.4").context, 1'050'000u);
  EXPECT_EQ(facts("azure", "gpt-6.1-sol").max_output, 128'000u);
  EXPECT_EQ(facts("anthropic", "claude-haiku-4-5").context, 200'000u);
  EXPECT_EQ(facts("anthropic", "claude-opus-5-5").context, 1'000'000u);
  EXPECT_EQ(facts("anthropic", "claude-sonnet-4-5").max_output, 64'000u);
  EXPECT_EQ(facts("bedrock", "anthropic.claude-fable-5-2").max_output, 128'000u);
  EXPECT_EQ(facts("gemini", "gemini-4-argon").context, 1'048'576u);
  EXPECT_EQ(facts("mistral", "mistral-large-4").context, 1'000'000u);
}

TEST(WireFacts, ACallAndItsResultHaveOneShortId) {
  const sent got = send({"", "chat", "mistral", "mistral-large-4",
                         R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[
                             {"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_2","type":"function","function":{"name":"f","arguments":"{}"}}]},
                             {"role":"tool","tool_call_id":"call_2","content":"b"},{"role":"tool","tool_call_id":"call_1","content":"a"}]})"});
  const json& messages = got.request.body.at("messages");
  EXPECT_EQ(messages[1]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
  EXPECT_EQ(messages[1]["tool_calls"][1]["id"], messages[2]["tool_call_id"]);
  EXPECT_NE(messages[2]["tool_call_id"], messages[3]["tool_call_id"]);
}

}  // namespace
}  // namespace photofinish::proxy::rules
