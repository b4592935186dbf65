// Tests unknown members at each place of a request. A provider of another API must get the request without these members, and the answer
// must name each of them.
#include "tests/unit/proxy/pairs/asked_providers.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

struct lost_case {
  const char* name;
  std::size_t from;  // index of the client in `clients`
  const char* request;
  std::vector<std::string> lost;
  std::vector<std::string> repeated = {};  // members that clients copy from earlier answers; the gateway does not report them as dropped
};
void PrintTo(const lost_case& each, std::ostream* to) { *to << each.name; }

class UnknownMembers : public ::testing::TestWithParam<lost_case> {};

TEST_P(UnknownMembers, AreNamedOnceForEachProvider) {
  const client& from = clients[GetParam().from];
  int asked_ones = 0;
  for (const asked_provider& to : others_than(from)) {
    SCOPED_TRACE(to.name);
    const asked got = ask(from, to, json::parse(GetParam().request));
    if (!got.unsupported.empty()) continue;  // the gateway skips a target that cannot serve the request
    ++asked_ones;
    for (const std::string& name : GetParam().lost)
      EXPECT_EQ(std::count(got.dropped.begin(), got.dropped.end(), name), 1) << name;
    for (const std::string& name : GetParam().repeated) EXPECT_FALSE(holds_name(got.dropped, name)) << name;
  }
  EXPECT_GE(asked_ones, 3);
}

const char* const chat_calls = R"({"messages":[{"role":"user","content":"q"},
    {"role":"assistant","content":null,"annotations":[],"tool_calls":[{"id":"c","type":"function","index":0,"xx":1,
      "function":{"name":"f","arguments":"{}","yy":1}}]},
    {"role":"tool","tool_call_id":"c","content":"r","name":"f","zz":1}],
    "tools":[{"type":"function","function":{"name":"f"}}],
    "tool_choice":{"type":"function","function":{"name":"f","x2":1},"x1":1}})";
const char* const chat_members = R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"},
      {"type":"image_url","image_url":{"url":"data:image/png;base64,QQ==","x1":1}}]}],
    "response_format":{"type":"json_schema","x2":1,"json_schema":{"name":"n","schema":{"type":"object"},"x3":1}},
    "reasoning":{"effort":"low","x4":1},"thinking":{"type":"enabled","x5":1},
    "stream_options":{"include_usage":true,"x6":1}})";
const char* const response_items = R"({"store":false,"input":[
    {"type":"message","role":"user","content":"q","x1":1},
    {"type":"message","role":"assistant","id":"m","status":"completed","phase":"commentary",
      "content":[{"type":"output_text","text":"a","annotations":[]}]},
    {"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{}","status":"completed","x2":1},
    {"type":"function_call_output","call_id":"c","output":"r","x3":1}],
    "tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],
    "tool_choice":{"type":"function","name":"f","x4":1}})";
const char* const response_members = R"({"store":false,"input":"q","reasoning":{"effort":"low","summary":"auto","x1":1},
    "text":{"verbosity":"low","x2":1,"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"x3":1}},
    "stream_options":{"include_obfuscation":false,"x4":1}})";
const char* const message_turns = R"({"max_tokens":9,"system":[{"type":"text","text":"s","x1":1}],"messages":[
    {"role":"user","content":[{"type":"text","text":"q"},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ==","x2":1}}]},
    {"role":"assistant","x3":1,"content":[
      {"type":"tool_use","id":"c","name":"f","input":{},"caller":{"type":"direct"},"x4":1}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}],
    "tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto","x5":1}})";
const char* const message_members = R"({"max_tokens":9,"messages":[{"role":"user","content":"q"}],
    "thinking":{"type":"adaptive","display":"omitted","x1":1},"output_config":{"effort":"low","x2":1},
    "metadata":{"user_id":"u","x3":1}})";

INSTANTIATE_TEST_SUITE_P(
    Places, UnknownMembers,
    ::testing::Values(
        lost_case{"ChatCalls", 0, chat_calls,
                  {"messages[].tool_calls[].xx", "messages[].tool_calls[].function.yy", "messages[].zz",
                   "tool_choice.x1", "tool_choice.function.x2"},
                  {"messages[].name", "messages[].annotations", "messages[].tool_calls[].index"}},
        lost_case{"ChatMembers", 0, chat_members,
                  {"messages[].content[].image_url.x1", "response_format.x2", "response_format.json_schema.x3",
                   "reasoning.x4", "thinking.x5", "stream_options.x6"}},
        lost_case{"ResponseItems", 1, response_items,
                  {"input[].x1", "input[].phase", "input[].x2", "input[].x3", "tool_choice.x4"},
                  {"input[].id", "input[].status", "input[].content[].annotations"}},
        lost_case{"ResponseMembers", 1, response_members,
                  {"reasoning.x1", "text.x2", "text.format.x3", "stream_options.x4"}, {"reasoning.summary"}},
        lost_case{"MessageTurns", 2, message_turns,
                  {"system[].x1", "messages[].content[].source.x2", "messages[].x3", "messages[].content[].x4",
                   "tool_choice.x5"},
                  {"messages[].content[].caller"}},
        lost_case{"MessageMembers", 2, message_members,
                  {"thinking.x1", "thinking.display", "output_config.x2", "metadata.x3"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace photofinish::proxy::pairs
