// Tests parts of answers other than text, for every API. An image must reach the client, or the answer must report it as lost. The answer
// must also report each part that the client's API cannot represent. If an answer has only such parts, the attempt fails.
#include "tests/support/streams/frames.hpp"
#include "tests/unit/gateway/api/pairs/answering.hpp"
#include "tests/unit/gateway/api/responses/strict_accumulator.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace photofinish::gateway::pairs {
namespace {

using proxy::wire_format;

enum class part : std::uint8_t { text, image, other };

const std::string drawn = "iVBORw0KGgo=";

struct part_provider {
  std::string name;
  std::string other;  // name of a part that no other API supports
  std::string image;  // name under which the answer reports a lost image; empty if the provider's API has no images in answers
  std::function<sent_answer(const std::vector<part>&, bool is_stream)> answer;
};

std::string with_commas(const std::vector<std::string>& all) {
  std::string list;
  for (const std::string& each : all) list += (list.empty() ? "" : ",") + each;
  return list;
}

std::string data_lines(const std::vector<std::string>& all) {
  std::string bytes;
  for (const std::string& each : all) {
    const json event = json::parse(each);
    if (event.contains("type")) bytes += "event: " + event["type"].get<std::string>() + "\n";
    bytes += "data: " + each + "\n\n";
  }
  return bytes;
}

// Gemini

std::string gemini_part(part each) {
  if (each == part::text) return R"({"text":"Hi"})";
  if (each == part::image) return R"({"inlineData":{"mimeType":"image/png","data":")" + drawn + R"("}})";
  return R"({"executableCode":{"language":"PYTHON","code":"1+1"}})";
}
sent_answer gemini_parts(const std::vector<part>& parts, bool is_stream) {
  const auto chunk = [](const std::string& held, const std::string& end) {
    return R"({"candidates":[{"content":{"parts":[)" + held + R"(],"role":"model"},"index":0)" + end +
           R"(}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}})";
  };
  const std::string end = R"(,"finishReason":"STOP")";
  std::vector<std::string> all;
  for (const part each : parts) all.push_back(gemini_part(each));
  if (!is_stream) return {"gemini", wire_format::gemini, sent_as::whole, chunk(with_commas(all), end)};
  for (std::string& each : all) each = chunk(each, "");
  all.push_back(chunk(R"({"text":""})", end));
  return {"gemini", wire_format::gemini, sent_as::events, data_lines(all)};
}

// Converse

const std::string no_usage = R"("usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3})";

std::string converse_frames(part each, int index) {
  const std::string place = R"({"contentBlockIndex":)" + std::to_string(index);
  const auto frame = [&place](const char* type, const std::string& rest) {
    return test::event_frame_of(type, place + (rest.empty() ? "" : "," + rest) + "}");
  };
  const std::string stop = frame("contentBlockStop", "");
  if (each == part::text) return frame("contentBlockDelta", R"("delta":{"text":"Hi"})") + stop;
  if (each == part::image)
    return frame("contentBlockStart", R"("start":{"image":{"format":"png"}})") +
           frame("contentBlockDelta", R"("delta":{"image":{"source":{"bytes":")" + drawn + R"("}}})") + stop;
  return frame("contentBlockStart", R"("start":{"toolResult":{"toolUseId":"t","status":"success"}})") + stop;
}
std::string converse_block(part each) {
  if (each == part::text) return R"({"text":"Hi"})";
  if (each == part::image) return R"({"image":{"format":"png","source":{"bytes":")" + drawn + R"("}}})";
  return R"({"toolResult":{"toolUseId":"t","content":[]}})";
}
sent_answer converse_parts(const std::vector<part>& parts, bool is_stream) {
  if (!is_stream) {
    std::vector<std::string> all;
    for (const part each : parts) all.push_back(converse_block(each));
    return {"bedrock", wire_format::bedrock_converse, sent_as::whole,
            R"({"output":{"message":{"role":"assistant","content":[)" + with_commas(all) + R"(]}},"stopReason":"end_turn",)" + no_usage + "}"};
  }
  std::string bytes = test::event_frame_of("messageStart", R"({"role":"assistant"})");
  for (int index = 0; const part each : parts) bytes += converse_frames(each, index++);
  bytes += test::event_frame_of("messageStop", R"({"stopReason":"end_turn"})") + test::event_frame_of("metadata", "{" + no_usage + "}");
  return {"bedrock", wire_format::bedrock_converse, sent_as::frames, bytes};
}

// Messages

sent_answer messages_parts(const std::vector<part>& parts, bool is_stream) {
  std::vector<std::string> blocks;
  for (const part each : parts)
    blocks.push_back(each == part::text ? R"({"type":"text","text":"Hi"})" : R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})");
  const auto message = [](const std::string& content, const std::string& stop) {
    return R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":[)" + content + R"(],"stop_reason":)" + stop +
           R"(,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}})";
  };
  if (!is_stream) return {"anthropic", wire_format::anthropic_messages, sent_as::whole, message(with_commas(blocks), R"("end_turn")")};
  std::vector<std::string> all{R"({"type":"message_start","message":)" + message("", "null") + "}"};
  for (int index = 0; const std::string& each : blocks) {
    const std::string at = R"(,"index":)" + std::to_string(index++);
    all.push_back(R"({"type":"content_block_start")" + at + R"(,"content_block":)" + each + "}");
    all.push_back(R"({"type":"content_block_stop")" + at + "}");
  }
  all.push_back(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})");
  all.push_back(R"({"type":"message_stop"})");
  return {"anthropic", wire_format::anthropic_messages, sent_as::events, data_lines(all)};
}

// Responses

std::string response_item(part each) {
  if (each == part::text)
    return R"({"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]})";
  if (each == part::image)
    return R"({"type":"image_generation_call","id":"ig_1","status":"completed","output_format":"png","result":")" + drawn + R"("})";
  return R"({"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}})";
}
sent_answer responses_parts(const std::vector<part>& parts, bool is_stream) {
  std::vector<std::string> items, all;
  for (const part each : parts) items.push_back(response_item(each));
  const std::string whole = R"({"id":"resp_1","object":"response","created_at":1,"model":"m","status":"completed","error":null,"incomplete_details":null,"output":[)" +
                            with_commas(items) + R"(],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}})";
  if (!is_stream) return {"openai", wire_format::openai_responses, sent_as::whole, whole};
  for (std::size_t at = 0; at < items.size(); ++at) {
    json begun = json::parse(items[at]);
    begun.erase("result");
    if (begun.contains("content")) begun["content"] = json::array();
    const std::string place = R"(,"output_index":)" + std::to_string(at) + R"(,"item":)";
    all.push_back(R"({"type":"response.output_item.added")" + place + begun.dump() + "}");
    all.push_back(R"({"type":"response.output_item.done")" + place + items[at] + "}");
  }
  all.push_back(R"({"type":"response.completed","response":)" + whole + "}");
  return {"openai", wire_format::openai_responses, sent_as::events, data_lines(all)};
}

// Chat

sent_answer chat_parts(const std::vector<part>& parts, bool is_stream) {
  json message = {{"role", "assistant"}, {"content", nullptr}};
  for (const part each : parts) {
    if (each == part::text) message["content"] = "Hi";
    else if (each == part::image)
      message["images"] = {{{"type", "image_url"}, {"index", 0}, {"image_url", {{"url", "data:image/png;base64," + drawn}}}}};
    else message["audio"] = {{"id", "a"}, {"data", "UklGRg=="}};
  }
  const json choice = {{"index", 0}, {is_stream ? "delta" : "message", message}, {"finish_reason", "stop"}};
  const json answer = {{"id", "c"}, {"object", is_stream ? "chat.completion.chunk" : "chat.completion"}, {"created", 1},
                       {"model", "m"}, {"choices", {choice}},
                       {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 2}, {"total_tokens", 3}}}};
  if (!is_stream) return {"openai", wire_format::openai_chat, sent_as::whole, answer.dump()};
  return {"openai", wire_format::openai_chat, sent_as::events, "data: " + answer.dump() + "\n\ndata: [DONE]\n\n"};
}

const std::vector<part_provider> part_providers{{"Gemini", "executableCode", "inlineData (image/png)", gemini_parts},
                                                {"Converse", "toolResult", "image", converse_parts},
                                                {"Messages", "server_tool_use", "", messages_parts},
                                                {"Responses", "web_search_call", "image_generation_call", responses_parts},
                                                {"Chat", "audio", "images", chat_parts}};

// The parts that a client finds in an answer.
struct read_parts {
  std::string text, image;
  json lost;
};

read_parts read_parts_of(const reading_client& by, const std::string& bytes, bool is_stream) {
  read_parts got;
  std::vector<json> all;
  if (!is_stream) all.push_back(json::parse(bytes));
  else
    for (std::size_t at = bytes.find("data: {"); at != std::string::npos; at = bytes.find("data: {", at + 1))
      all.push_back(json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6)));
  got.text = is_stream ? by.read_stream(bytes).text : by.read_whole(all[0]).text;
  for (const json& each : all) {
    const json holder = each.value("response", each);
    if (holder.contains("x_race_dropped")) got.lost = holder["x_race_dropped"];
    for (const json& choice : each.value("choices", json::array()))
      for (const json& image : choice.value(is_stream ? "delta" : "message", json::object()).value("images", json::array()))
        got.image += image.at("image_url").at("url").get<std::string>();
  }
  for (const json& item : all.back().value("response", all.back()).value("output", json::array()))
    if (item.at("type") == "image_generation_call")
      got.image += "data:image/" + item.at("output_format").get<std::string>() + ";base64," + item.at("result").get<std::string>();
  return got;
}

// Calls `check` for each pair of a provider's API and a different client API, with streamed and non-streamed answers.
void for_each_pair(const std::function<void(const part_provider&, const reading_client&, bool is_stream)>& check) {
  for (const part_provider& from : part_providers)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false}) {
        if (from.answer({part::text}, is_stream).format == by.format) continue;
        SCOPED_TRACE(from.name + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        check(from, by, is_stream);
      }
}


TEST(LostParts, AnImageReachesTheClientOrIsNamed) {
  for_each_pair([](const part_provider& from, const reading_client& by, bool is_stream) {
    if (from.image.empty()) return;
    const relayed_answer got = relay(by.speaks, by.request, from.answer({part::text, part::image}, is_stream), is_stream);
    ASSERT_FALSE(got.failed) << got.failed->detail;
    const read_parts read = read_parts_of(by, got.bytes, is_stream);
    EXPECT_EQ(read.text, "Hi");
    const bool has_place = by.format != wire_format::anthropic_messages;
    EXPECT_EQ(read.image, has_place ? "data:image/png;base64," + drawn : "");
    EXPECT_EQ(read.lost, has_place ? json() : json::array({from.image}));
    if (by.format == wire_format::openai_responses && is_stream) {
      EXPECT_EQ(testing::strict_accumulator(testing::read_named_events(got.bytes)).fault, "");
    }
  });
}

TEST(LostParts, AnImageAloneIsAnAnswerOrAFailure) {
  for_each_pair([](const part_provider& from, const reading_client& by, bool is_stream) {
    if (from.image.empty()) return;
    const relayed_answer got = relay(by.speaks, by.request, from.answer({part::image}, is_stream), is_stream);
    if (by.format != wire_format::anthropic_messages) {
      ASSERT_FALSE(got.failed) << got.failed->detail;
      EXPECT_TRUE(got.has_token);
      EXPECT_EQ(read_parts_of(by, got.bytes, is_stream).image, "data:image/png;base64," + drawn);
      return;
    }
    ASSERT_TRUE(got.failed);
    EXPECT_EQ(got.failed->code, "unsupported_answer");
    EXPECT_NE(got.failed->detail.find(from.image), std::string::npos) << got.failed->detail;
    EXPECT_FALSE(got.has_token);
  });
}

TEST(LostParts, PartsWithoutAPlaceAreNamed) {
  for_each_pair([](const part_provider& from, const reading_client& by, bool is_stream) {
    const relayed_answer got = relay(by.speaks, by.request, from.answer({part::other, part::text}, is_stream), is_stream);
    ASSERT_FALSE(got.failed) << got.failed->detail;
    const read_parts read = read_parts_of(by, got.bytes, is_stream);
    EXPECT_EQ(read.text, "Hi");
    EXPECT_EQ(read.lost, json::array({from.other}));
  });
}

TEST(LostParts, AnAnswerOfThemAloneFailsAndWinsNoRace) {
  for_each_pair([](const part_provider& from, const reading_client& by, bool is_stream) {
    const relayed_answer got = relay(by.speaks, by.request, from.answer({part::other}, is_stream), is_stream);
    ASSERT_TRUE(got.failed) << got.bytes;
    EXPECT_EQ(got.failed->code, "unsupported_answer");
    EXPECT_TRUE(got.failed->is_retryable());
    EXPECT_NE(got.failed->detail.find(from.other), std::string::npos) << got.failed->detail;
    EXPECT_FALSE(got.has_token);
  });
}

TEST(LostParts, AnAnswerThatPassesLosesNothing) {
  for (const part_provider& from : part_providers)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false}) {
        const sent_answer sent = from.answer({part::other}, is_stream);
        if (sent.format != by.format) continue;
        SCOPED_TRACE(by.name);
        const relayed_answer got = relay(by.speaks, by.request, sent, is_stream);
        ASSERT_FALSE(got.failed) << got.failed->detail;
        EXPECT_TRUE(got.has_token);
        EXPECT_NE(got.bytes.find(from.other), std::string::npos) << got.bytes;
      }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
