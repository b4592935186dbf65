// Tests the conversion of requests from OpenAI's APIs to Anthropic's Messages API.
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/writers/messages_form.hpp"
#include "tests/unit/proxy/conversation/translation.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using testing::json;
using testing::translation;

translation chat(const std::string& members) {
  return testing::translate(read_chat, json::parse("{" + members + "}"), write_messages);
}

translation responses(const std::string& members) {
  return testing::translate(read_responses, json::parse("{" + members + "}"), write_messages);
}

json written(const translation& made) {
  EXPECT_EQ(made.fault.param, "");
  EXPECT_EQ(made.form.unsupported, "");
  return made.form.json.empty() ? json() : json::parse(made.form.json);
}

json messages_of(const std::string& list) { return written(chat(R"("messages":)" + list)).at("messages"); }

std::string with_hi(const std::string& members) {
  return R"("messages":[{"role":"user","content":"hi"}],)" + members;
}

TEST(MessagesForm, SystemAndDeveloperInFrontAreTheSystemAndLaterOnesAreMarked) {
  const json made = written(chat(R"("messages":[{"role":"system","content":"A"},{"role":"developer","content":"B"},
    {"role":"user","content":"hi"},{"role":"system","content":"C"},{"role":"user","content":"D"}])"));
  EXPECT_EQ(made.at("system"), json::parse(R"([{"type":"text","text":"A"},{"type":"text","text":"B"}])"));
  EXPECT_EQ(made.at("messages"), json::parse(R"([{"role":"user","content":[{"type":"text","text":"hi"},
    {"type":"text","text":"<system-reminder>\nC\n</system-reminder>"},{"type":"text","text":"D"}]}])"));
}

TEST(MessagesForm, RolesAlternateAndNoTextIsEmpty) {
  EXPECT_EQ(messages_of(R"([{"role":"assistant","content":"Hello"},{"role":"user","content":" \n"},
    {"role":"assistant","content":"Again "},{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"x"}]},
    {"role":"user","content":"y"}])"),
            json::parse(R"([{"role":"user","content":[{"type":"text","text":"Begin."}]},
    {"role":"assistant","content":[{"type":"text","text":"Hello"},{"type":"text","text":"Again "}]},
    {"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}])"));
}

TEST(MessagesForm, AConversationOfInstructionsAloneStillAsksSomething) {
  const json made = written(chat(R"("messages":[{"role":"system","content":"A"}])"));
  EXPECT_EQ(made.at("messages"), json::parse(R"([{"role":"user","content":[{"type":"text","text":"Begin."}]}])"));
}

TEST(MessagesForm, WhatTheModelIsToGoOnWithDoesNotEndInWhiteSpace) {
  const json made = messages_of(R"([{"role":"user","content":"hi"},{"role":"assistant","content":"So \\n \n\t"}])");
  EXPECT_EQ(made.at(1).at("content").at(0).at("text"), "So \\n");
}

TEST(MessagesForm, ResultsStandBehindTheirCallsInTheCallsOrderAndFirst) {
  const json made = messages_of(R"([{"role":"user","content":"hi"},
    {"role":"assistant","content":"Looking","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 10000000000000000000001}"}},
      {"id":"b","type":"function","function":{"name":"g","arguments":""}}]},
    {"role":"user","content":"and?"},
    {"role":"tool","tool_call_id":"b","content":"B"},{"role":"tool","tool_call_id":"a","content":"A"}])");
  EXPECT_EQ(made.dump(), json::parse(R"([{"role":"user","content":[{"type":"text","text":"hi"}]},
    {"role":"assistant","content":[{"type":"text","text":"Looking"},
      {"type":"tool_use","id":"a","name":"f","input":{"x": 10000000000000000000001}},
      {"type":"tool_use","id":"b","name":"g","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"A"},
      {"type":"tool_result","tool_use_id":"b","content":"B"},{"type":"text","text":"and?"}]}])").dump());
}

TEST(MessagesForm, LargeNumbersOfArgumentsStayAsTheyAreWritten) {
  const translation made = chat(R"("messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[
    {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1e2,\"y\":10000000000000000000001}"}}]},
    {"role":"tool","tool_call_id":"a","content":"A"}])");
  EXPECT_NE(made.form.json.find(R"("input":{"x":1e2,"y":10000000000000000000001})"), std::string::npos) << made.form.json;
}

TEST(MessagesForm, AMissingResultIsFilledInAndAStrayOneIsTold) {
  const json made = messages_of(R"([{"role":"user","content":"hi"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"other","content":"found"},{"role":"assistant","content":"ok"}])");
  const json results = made.at(2).at("content");
  EXPECT_EQ(results.at(0).at("tool_use_id"), "a");
  EXPECT_EQ(results.at(0).at("is_error"), true);
  EXPECT_EQ(results.at(1), json::parse(R"({"type":"text","text":"found"})"));
}

TEST(MessagesForm, IdsAreOfTheLettersThatAreAllowedAndEachIsThereOnce) {
  const json made = messages_of(R"([{"role":"user","content":"hi"},
    {"role":"assistant","tool_calls":[{"id":"f:0","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"f:0","content":"1"},
    {"role":"assistant","tool_calls":[{"id":"f:0","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"f:0","content":"2"}])");
  EXPECT_EQ(made.at(1).at("content").at(0).at("id"), "f_0");
  EXPECT_EQ(made.at(3).at("content").at(0).at("id"), "f_0_2");
  EXPECT_EQ(made.at(2).at("content").at(0), json::parse(R"({"type":"tool_result","tool_use_id":"f_0","content":"1"})"));
  EXPECT_EQ(made.at(4).at("content").at(0), json::parse(R"({"type":"tool_result","tool_use_id":"f_0_2","content":"2"})"));
}

TEST(MessagesForm, ArgumentsThatAreNoObjectAreMadeOne) {
  const json made = messages_of(R"([{"role":"user","content":"hi"},
    {"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":"}},
      {"id":"b","type":"function","function":{"name":"f","arguments":"[1]"}}]}])");
  EXPECT_EQ(made.at(1).at("content").at(0).at("input"), (json{{"input", "{\"x\":"}}));
  EXPECT_EQ(made.at(1).at("content").at(1).at("input"), (json{{"input", "[1]"}}));
}

TEST(MessagesForm, AHistoryWithCallsBringsTheToolsThatTheClientNoLongerGives) {
  const json made = written(chat(R"("messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[
    {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}])"));
  EXPECT_EQ(made.at("tools"), json::parse(R"([{"name":"f","input_schema":{"type":"object","properties":{}}}])"));
  EXPECT_EQ(made.at("tool_choice"), json::parse(R"({"type":"none"})"));
}

TEST(MessagesForm, ToolsAndTheirChoice) {
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"f","description":"d","strict":true,
    "parameters":{"properties":{"x":{"type":"string"}}}}},{"type":"function","function":{"name":"g"}}])";
  const translation made = chat(with_hi(tools));
  EXPECT_EQ(written(made).at("tools"), json::parse(R"([{"name":"f","description":"d",
    "input_schema":{"type":"object","properties":{"x":{"type":"string"}}}},
    {"name":"g","input_schema":{"type":"object","properties":{}}}])"));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"tools[].strict"});
  EXPECT_FALSE(written(made).contains("tool_choice"));
  const auto choice = [&tools](const std::string& members) {
    return written(chat(with_hi(tools + "," + members))).at("tool_choice").dump();
  };
  EXPECT_EQ(choice(R"("tool_choice":"auto")"), R"({"type":"auto"})");
  EXPECT_EQ(choice(R"("tool_choice":"none","parallel_tool_calls":false)"), R"({"type":"none"})");
  EXPECT_EQ(choice(R"("parallel_tool_calls":false)"), R"({"disable_parallel_tool_use":true,"type":"auto"})");
  EXPECT_EQ(choice(R"("tool_choice":"required")"), R"({"type":"any"})");
  EXPECT_EQ(choice(R"("tool_choice":{"type":"function","function":{"name":"g"}})"), R"({"name":"g","type":"tool"})");
}

TEST(MessagesForm, ReasoningGoesBackToItsOwnFamilyAloneByteForByte) {
  const std::string own = pack_signature({"anthropic_messages", "Eq\"+/=="}), other = pack_signature({"gemini", "CC"});
  const auto item = [](const std::string& signature, const std::string& text) {
    return R"({"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":")" + text +
           R"("}],"encrypted_content":")" + signature + R"("},{"role":"assistant","content":"ok"})";
  };
  const translation kept = responses(R"("input":[{"role":"user","content":"hi"},)" + item(own, "hm\\u00e9") + "]");
  EXPECT_NE(kept.form.json.find(R"({"type":"thinking","thinking":"hm)"), std::string::npos) << kept.form.json;
  EXPECT_EQ(written(kept).at("messages").at(1).at("content").at(0).at("signature"), "Eq\"+/==");
  for (const std::string& foreign : {other, std::string("gAAAA")}) {
    const translation dropped = responses(R"("input":[{"role":"user","content":"hi"},)" + item(foreign, "hm") + "]");
    EXPECT_EQ(written(dropped).at("messages").at(1).at("content").size(), 1u);
    EXPECT_EQ(dropped.form.dropped, std::vector<std::string>{"reasoning"});
  }
}

TEST(MessagesForm, HiddenReasoningOfItsOwnIsRedactedThinking) {
  const std::string own = pack_signature({"anthropic_messages", "data"});
  const json made = written(responses(R"("input":[{"role":"user","content":"hi"},{"type":"reasoning","id":"r","summary":[],
    "encrypted_content":")" + own + R"("},{"role":"assistant","content":"ok"}])"));
  EXPECT_EQ(made.at("messages").at(1).at("content").at(0), json::parse(R"({"type":"redacted_thinking","data":"data"})"));
}

TEST(MessagesForm, ImagesAndDocumentsByUrlAndByBytes) {
  const json made = messages_of(R"([{"role":"user","content":[
    {"type":"image_url","image_url":{"url":"https://x/y.png"}},
    {"type":"image_url","image_url":{"url":"data:image/jpg;base64,AA\/="}},
    {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,BB"}},
    {"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,aGVsbG8="}}]}])");
  EXPECT_EQ(made.at(0).at("content"), json::parse(R"([
    {"type":"image","source":{"type":"url","url":"https://x/y.png"}},
    {"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"AA/="}},
    {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BB"},"title":"a.pdf"},
    {"type":"document","source":{"type":"text","media_type":"text/plain","data":"hello"},"title":"a.txt"}])"));
}

TEST(MessagesForm, ImagesOfResultsStayInThem) {
  const json made = written(responses(R"("input":[{"role":"user","content":"hi"},
    {"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
    {"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"see"},
      {"type":"input_image","image_url":"data:image/png;base64,AA"}]}])"));
  EXPECT_EQ(made.at("messages").at(2).at("content").at(0).at("content"), json::parse(R"([{"type":"text","text":"see"},
    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}])"));
}

TEST(MessagesForm, LimitsStopsAndUsers) {
  const json made = written(chat(with_hi(
      R"("max_completion_tokens":7,"temperature":1.7,"top_p":0.5,"top_k":3,"stop":"x","user":"u","seed":1)")));
  EXPECT_EQ(made.at("max_tokens"), 7);
  EXPECT_EQ(made.at("temperature"), 1);
  EXPECT_EQ(made.at("top_p"), 0.5);
  EXPECT_EQ(made.at("top_k"), 3);
  EXPECT_EQ(made.at("stop_sequences"), json{"x"});
  EXPECT_EQ(made.at("metadata"), (json{{"user_id", "u"}}));
}

TEST(MessagesForm, AnEffortIsThinkingAndSamplingGoesWithIt) {
  const translation made = chat(with_hi(R"("reasoning_effort":"minimal","temperature":0.2)"));
  EXPECT_EQ(written(made).at("thinking"), json::parse(R"({"type":"adaptive","display":"summarized"})"));
  EXPECT_EQ(written(made).at("output_config"), json::parse(R"({"effort":"low"})"));
  EXPECT_FALSE(written(made).contains("temperature"));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"temperature"});
  EXPECT_EQ(written(chat(with_hi(R"("reasoning_effort":"none")"))).at("thinking"), json::parse(R"({"type":"disabled"})"));
  const json forced = written(chat(with_hi(R"("reasoning_effort":"high","tool_choice":"required",
    "tools":[{"type":"function","function":{"name":"f"}}])")));
  EXPECT_FALSE(forced.contains("thinking"));
  EXPECT_EQ(forced.at("output_config"), json::parse(R"({"effort":"high"})"));
}

TEST(MessagesForm, KeepsTheNumberOfABudget) {
  for (const char* const asked : {R"("thinking":{"type":"enabled","budget_tokens":3000})", R"("reasoning":{"max_tokens":3000})"}) {
    const translation made = chat(with_hi(asked));
    EXPECT_EQ(written(made).at("thinking"), json::parse(R"({"type":"enabled","budget_tokens":3000})"));
    EXPECT_FALSE(written(made).contains("output_config"));
    EXPECT_TRUE(made.form.dropped.empty());
  }
  const translation small = chat(with_hi(R"("reasoning":{"max_tokens":500})"));
  EXPECT_EQ(written(small).at("thinking").at("budget_tokens"), 1024);
  EXPECT_EQ(small.form.dropped, std::vector<std::string>{"thinking"});
  const json off = written(chat(with_hi(R"("reasoning":{"max_tokens":0})")));
  EXPECT_EQ(off.at("thinking"), json::parse(R"({"type":"disabled"})"));
}

TEST(MessagesForm, ASchemaIsNarrowedToWhatItCanBeHeldTo) {
  const translation made = chat(with_hi(R"("response_format":{"type":"json_schema","json_schema":{"name":"n","schema":
    {"type":"object","properties":{"pattern":{"type":"string","pattern":"a+","minLength":2},
      "list":{"type":"array","items":{"oneOf":[{"type":"object","properties":{}},{"type":"integer","maximum":3}]}}},
     "required":["pattern"],"additionalProperties":true}}})"));
  EXPECT_EQ(written(made).at("output_config").at("format"), json::parse(R"({"type":"json_schema","schema":
    {"type":"object","properties":{"pattern":{"type":"string"},
      "list":{"type":"array","items":{"anyOf":[{"type":"object","properties":{},"additionalProperties":false},{"type":"integer"}]}}},
     "required":["pattern"],"additionalProperties":false}})"));
  EXPECT_EQ(made.form.dropped, std::vector<std::string>{"response_format.json_schema"});
}

struct unsupported_case {
  const char* members;
  const char* named;
};

class Unsupported : public ::testing::TestWithParam<unsupported_case> {};
INSTANTIATE_TEST_SUITE_P(MessagesForm, Unsupported,
                         ::testing::Values(unsupported_case{R"("n":2)", "n"}, unsupported_case{R"("logprobs":true)", "logprobs"},
                                           unsupported_case{R"("logit_bias":{"1":2})", "logit_bias"},
                                           unsupported_case{R"("response_format":{"type":"json_object"})", "response_format"},
                                           unsupported_case{R"("stop":["\n"])", "stop"},
                                           unsupported_case{R"("tools":[{"type":"web_search"}])", "tools.web_search"}));

TEST_P(Unsupported, TakesTheTargetOut) {
  EXPECT_EQ(chat(with_hi(GetParam().members)).form.unsupported, GetParam().named);
}

TEST(MessagesForm, AFileOfOpenAIsCannotBeRead) {
  EXPECT_EQ(responses(R"("input":[{"role":"user","content":[{"type":"input_image","file_id":"file-1"}]}])").form.unsupported,
            "content.image.file_id");
  EXPECT_EQ(chat(R"("messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"A","format":"wav"}}]}])")
                .form.unsupported,
            "content.audio");
}

TEST(MessagesForm, WhatChangesNothingIsNamed) {
  EXPECT_EQ(chat(with_hi(R"("seed":7,"n":1,"store":false,"modalities":["text"],"service_tier":"flex")")).form.dropped,
            (std::vector<std::string>{"service_tier", "seed"}));
}

TEST(MessagesForm, CacheMarksOfAChatClientAreKept) {
  const json made = messages_of(
      R"([{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}])");
  EXPECT_EQ(made.at(0).at("content").at(0).at("cache_control"), json::parse(R"({"type":"ephemeral"})"));
}

}  // namespace
}  // namespace photofinish::proxy
