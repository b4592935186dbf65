#include "gateway/guardrails/judged_text.hpp"

#include "gateway/api/multipart/form_reader.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using enum proxy::wire_format;

parsed_request asked(proxy::wire_format format, std::string body) {
  parsed_request made{.format = format};
  made.body = std::make_shared<const proxy::client_body>(std::move(body));
  return made;
}

std::string text_of(proxy::wire_format format, std::string body) {
  const json sent = json::parse(judged_text(asked(format, std::move(body))).request_json());
  std::string shown;
  for (const json& each : sent.at("body").at("messages"))
    shown += each.at("role").get<std::string>() + ": " + each.at("content").get<std::string>() + "\n";
  return shown;
}

TEST(JudgedText, AChatIsShownTextByText) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","temperature":0,"messages":[{"role":"system","content":"be \"nice\""},
    {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"text","text":"two"}]},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
    {"role":"tool","tool_call_id":"c","content":"result"}]})"),
            "system: be \"nice\"\nuser: one\nuser: [an image: not shown]\nuser: two\nassistant: {\"a\":1}\ntool: result\nsystem: f\n");
}

// The gateway joins several members of a request into one string for some providers. The guardrail service gets the original members,
// because a mask can replace only strings that occur in the request.
TEST(JudgedText, MembersAreShownInsteadOfTheTextThatOtherApisGet) {
  const std::string shown = text_of(anthropic_messages, R"({"model":"m","max_tokens":9,"messages":[
    {"role":"user","content":[{"type":"search_result","source":"https://s.example","title":"Red things","content":[{"type":"text","text":"found"}]}]},
    {"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"c","content":{"type":"code_execution_result","stdout":"forty-two"}}]},
    {"role":"user","content":"q"}]})");
  for (const char* const text : {"https://s.example", "user: Red things", "user: found", R"("stdout":"forty-two")"})
    EXPECT_NE(shown.find(text), std::string::npos) << text << "\n" << shown;
  for (const char* const made : {"Search result:", "Output of the code"})
    EXPECT_EQ(shown.find(made), std::string::npos) << shown;
}

TEST(JudgedText, MessagesAreShownWithTheirSystemPromptAndDocuments) {
  EXPECT_EQ(text_of(anthropic_messages, R"({"model":"m","max_tokens":9,"system":[{"type":"text","text":"sys"}],"messages":[
    {"role":"user","content":[{"type":"document","title":"t","source":{"type":"text","media_type":"text/plain","data":"inside"}},
      {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}]},
    {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"card":4111}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"res"}]}]}]})"),
            "system: sys\nuser: t\nuser: inside\nuser: [a document: not shown]\nassistant: {\"card\":4111}\ntool: res\nsystem: f\n");
}

TEST(JudgedText, ResponsesAreShownWithTheirInstructions) {
  EXPECT_EQ(text_of(openai_responses, R"({"model":"m","instructions":"sys","input":[{"role":"user","content":[{"type":"input_text","text":"q"}]},
    {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"out"}]})"),
            "system: sys\nuser: q\nassistant: {}\ntool: out\nsystem: f\n");
  EXPECT_EQ(text_of(openai_responses, R"({"model":"m","input":"q"})"), "user: q\n");
}

TEST(JudgedText, WhatElseMayHoldTextIsShown) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","tools":[{"x":"y"}],"prediction":{"type":"content","content":"p"},
    "stream_options":{"include_usage":true},"user":"me","messages":[{"role":"user","content":"q"}]})"),
            "user: q\nsystem: [{\"x\":\"y\"}]\nsystem: {\"type\":\"content\",\"content\":\"p\"}\n");
  const std::string longer(100, 'x');
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","note":")" + longer + R"(","messages":[]})"), "system: " + longer + "\nsystem: note\n");
}

TEST(JudgedText, AConversationThatCannotBeReadIsShownAllTheSame) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","messages":[{"role":"user","content":{"odd":["a",{"b":"c"}]}}]})"),
            "user: a\nuser: c\nsystem: odd\nb\n");
}

TEST(JudgedText, InputsAreShownOneByOne) {
  EXPECT_EQ(text_of(openai_completions, R"({"model":"m","prompt":"p","suffix":"s"})"), "user: p\nuser: s\n");
  EXPECT_EQ(text_of(openai_embeddings, R"({"model":"m","input":["a","b"],"encoding_format":"float"})"), "user: a\nuser: b\n");
  EXPECT_EQ(text_of(openai_embeddings, R"({"model":"m","input":[[1,2],[3]]})"),
            "user: [tokens: not shown]\nuser: [tokens: not shown]\n");
  EXPECT_EQ(text_of(openai_rerank, R"({"model":"m","query":"q","documents":["a",{"text":"b","id":"7"}]})"),
            "user: q\nuser: a\nuser: b\nuser: 7\n");
  EXPECT_EQ(text_of(openai_moderations, R"({"input":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]})"),
            "user: a\nuser: [an image, sound or file: not shown]\n");
  EXPECT_EQ(text_of(openai_images, R"({"model":"m","prompt":"a cat"})"), "user: a cat\n");
}

TEST(JudgedText, DeepInputsAreShown) {
  std::string input = "\"deep\"";
  for (int each = 0; each < 500; ++each) input = each % 2 ? "[" + input + "]" : R"({"text":)" + input + "}";
  EXPECT_EQ(text_of(openai_embeddings, R"({"model":"m","input":)" + input + "}"), "user: deep\n");
}

TEST(JudgedText, AFormsFieldsAreShownAndItsFilesNamed) {
  const std::string field = "--b\r\nContent-Disposition: form-data; name=";
  std::string body = field + "\"model\"\r\n\r\nm\r\n" + field + "\"prompt\"\r\n\r\na cat\r\n" + field +
                     "\"file\"; filename=\"a.wav\"\r\nContent-Type: audio/wav\r\n\r\n\xff" + std::string(1, '\0') + "\r\n--b--\r\n";
  proxy::form_fields fields = std::get<proxy::form_fields>(read_form_fields(body, "multipart/form-data; boundary=b", {}));
  parsed_request made{.format = openai_image_edits};
  made.body = std::make_shared<const proxy::client_body>(std::move(body), std::move(fields));
  judged_text shown(made);
  EXPECT_EQ(shown.request_json(), R"({"body":{"messages":[{"role":"user","content":"a cat"},)"
                                  R"({"role":"user","content":"[a file: not shown]"},{"role":"system","content":"a.wav"}]}})");
  EXPECT_EQ(shown.take({"a dog", "[a file: not shown]", "a.wav"}, masks_of::original), mask_result::impossible);
}

// A guardrail service must see the same text as a provider. Therefore the gateway decodes escapes in JSON.
TEST(JudgedText, EscapesHideNoLetters) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","messages":[],"tools":[{"\u0064escription":"\u0041\/B\n"}]})"),
            "system: [{\"description\":\"A/B\\n\"}]\n");
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function",
    "function":{"name":"f","arguments":"{\"a\":\"\\u0041\"}"}}]}],"tools":[]})"),
            "assistant: {\"a\":\"\\u0041\"}\nassistant: {\"a\":\"A\"}\nsystem: f\n");
}

TEST(JudgedText, WhatNeedsNotBeShownIsLeftOutByItsFormAlone) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","user":"me","service_tier":"auto","seed":7,"tool_choice":"auto",
    "metadata":null,"messages":[{"role":"user","content":"q","id":"msg_1"}]})"), "user: q\n");
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","user":"call 555 me","service_tier":"fast please","tool_choice":{"type":"x y"},
    "messages":[{"role":"user","content":"q","id":"a b"}]})"),
            "user: q\nsystem: call 555 me\nsystem: fast please\nsystem: x y\nuser: a b\n");
  EXPECT_EQ(text_of(openai_rerank, R"({"model":"m","query":"text","documents":["auto"]})"), "user: text\nuser: auto\n");
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","a b":4111,"c":[5,true],"messages":[{"role":"user","content":"q"}]})"),
            "user: q\nsystem: [5,true]\nsystem: a b\n4111\nc\n");
}

TEST(JudgedText, ATextOfAnotherTypeIsShownPartByPart) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":{"a":["b",7]}}]}]})"),
            "user: b\nsystem: a\n7\n");
}

TEST(JudgedText, WhatIsNotBase64IsAText) {
  const std::string data(200, 'A');
  const auto image = [](const std::string& url) {
    return text_of(openai_chat, R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")" + url + R"("}}]}]})");
  };
  EXPECT_EQ(image("DATA:image/png;BASE64," + data), "user: [an image: not shown]\n");
  EXPECT_EQ(image("data:image/png;base64,call me"), "user: [an image: not shown]\nuser: data:image/png;base64,call me\n");
  EXPECT_EQ(image("https://a/?q=555"), "user: [an image: not shown]\nuser: https://a/?q=555\n");
  EXPECT_EQ(text_of(anthropic_messages, R"({"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[
    {"type":"redacted_thinking","data":"call me"},{"type":"redacted_thinking","data":"AAAA"}]}]})"),
            "assistant: [encrypted reasoning: not shown]\nassistant: [encrypted reasoning: not shown]\nuser: call me\n");
  EXPECT_EQ(text_of(openai_responses, R"({"model":"m","input":[{"type":"image_generation_call","data":")" + data + R"("},{"role":"user","content":"q"}]})"),
            "user: q\nuser: image_generation_call\nuser: [an image, sound or file: not shown]\n");
}

// The gateway masks each text separately. If two texts are equal, the mask for one text must not change the other text.
TEST(JudgedText, WhatNoReaderTookCanBeMasked) {
  const std::string body = R"({"model":"m","input":"me@x","messages":[{"role":"user","content":"q","note":"me@x"}]})";
  judged_text text(asked(openai_chat, body));
  ASSERT_EQ(text.messages(), 4u);
  EXPECT_EQ(text.take({"q", "*", "**", "note"}, masks_of::original), mask_result::taken);
  EXPECT_EQ(text.masked_body(), R"({"model":"m","input":"*","messages":[{"role":"user","content":"q","note":"**"}]})");
  judged_text names(asked(openai_chat, body));
  EXPECT_EQ(names.take({"q", "me@x", "me@x", "****"}, masks_of::original), mask_result::impossible);
}

TEST(JudgedText, HalvesOfPairsStopNoService) {
  EXPECT_EQ(text_of(openai_chat, R"({"model":"m","messages":[{"role":"user","content":"a\ud800b"}]})"), "user: a\xEF\xBF\xBD" "b\n");
}

std::string masked(proxy::wire_format format, std::string body, const std::vector<std::string>& contents) {
  judged_text text(asked(format, std::move(body)));
  const mask_result taken = text.take(contents, masks_of::original);
  if (taken == mask_result::impossible) return "impossible";
  return text.is_masked() ? text.masked_body() : "unchanged";
}

TEST(JudgedText, AMaskChangesTheTextsAloneInTheClientsOwnBody) {
  const std::string body = R"({ "model":"m", "seed":1e400, "messages":[{"role":"user","content":"call 555"},{"role":"user","content":"and \u0041"}]})";
  EXPECT_EQ(masked(openai_chat, body, {"call ***", "and A"}),
            R"({ "model":"m", "seed":1e400, "messages":[{"role":"user","content":"call ***"},{"role":"user","content":"and \u0041"}]})");
  EXPECT_EQ(masked(openai_chat, body, {"call 555", "and A"}), "unchanged");
  EXPECT_EQ(masked(openai_chat, body, {"\"},{\"", ""}),
            R"({ "model":"m", "seed":1e400, "messages":[{"role":"user","content":"\"},{\""},{"role":"user","content":""}]})");
  EXPECT_EQ(masked(openai_responses, R"({"model":"m","input":"q"})", {"*"}), R"({"model":"m","input":"*"})");
  EXPECT_EQ(masked(openai_embeddings, R"({"model":"m","input":["a","b"]})", {"a", "*"}), R"({"model":"m","input":["a","*"]})");
}

TEST(JudgedText, WhatCannotBeMaskedIsSaid) {
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":"a"}]})";
  EXPECT_EQ(masked(openai_chat, body, {}), "impossible");
  EXPECT_EQ(masked(openai_chat, body, {"a", "b"}), "impossible");
  const std::string image = R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]})";
  EXPECT_EQ(masked(openai_chat, image, {"***"}), "impossible");
  EXPECT_EQ(masked(openai_embeddings, R"({"model":"m","input":[1,2]})", {"***"}), "impossible");
}

TEST(JudgedText, AnObjectStaysOne) {
  const std::string body = R"({"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]}]})";
  EXPECT_NE(masked(anthropic_messages, body, {R"({"a":"*"})", "f"}).find(R"("input":{"a":"*"})"), std::string::npos);
  for (const char* broken : {"***", R"({"a":1},"x":{})", R"({"a":1,"a":2})", "[1]", R"({"a":)", ""})
    EXPECT_EQ(masked(anthropic_messages, body, {broken, "f"}), "impossible") << broken;
}

TEST(JudgedText, OfTwoMasksOfOneTextTheSecondIsAskedFor) {
  judged_text text(asked(openai_chat, R"({"model":"m","messages":[{"role":"user","content":"me@x 555"},{"role":"user","content":"b"}]})"));
  EXPECT_EQ(text.take({"*** 555", "b"}, masks_of::original), mask_result::taken);
  EXPECT_EQ(text.take({"me@x 555", "c"}, masks_of::original), mask_result::taken) << "another text";
  EXPECT_EQ(text.take({"me@x ***", "c"}, masks_of::original), mask_result::conflict);
  EXPECT_NE(text.request_json().find("*** 555"), std::string::npos);
  EXPECT_EQ(text.take({"*** ***", "c"}, masks_of::current), mask_result::taken);
  EXPECT_NE(text.masked_body().find(R"("content":"*** ***")"), std::string::npos);
}

// A provider may read contents in base64 as text, whatever media type the request states. The contents in this test are "EVIL words". Some
// of them contain a control character, or padding in the middle.
TEST(JudgedText, ShowsTextInBase64UnderAnyType) {
  const auto part = [](const std::string& url) {
    return text_of(openai_chat, R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")" +
                                    url + R"("}}]}]})");
  };
  const std::string notice = "user: [an image: not shown]\n";
  EXPECT_EQ(part("data:text/plain;base64,RVZJTCB3b3Jkcw=="), notice + "user: EVIL words\n");
  EXPECT_EQ(part("data:TEXT/Plain;base64,RVZJTAF3b3Jkcw=="), notice + "user: EVIL\x01words\n");
  EXPECT_EQ(part("data:application/x;base64,RVZJTAF3b3Jkcw=="), notice + "user: EVIL\x01words\n");
  EXPECT_EQ(part("data:text/plain;base64,RVZJTCA=d29yZHM="), notice + "user: EVIL words\n");
  EXPECT_EQ(part("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"), notice);
}

}  // namespace
}  // namespace photofinish::gateway
