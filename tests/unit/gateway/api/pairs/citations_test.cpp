// Tests citations in streamed and non-streamed answers, for every dialect and every API. The client must get the same sources at the same
// positions.
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

// Every test answer is "Ä Paris" and has a citation at the word "Paris".
const std::string opening = "\xC3\x84 ", cited = "Paris";
const json flat = {{"type", "url_citation"}, {"start_index", 2}, {"end_index", 7}, {"url", "https://e.org"}, {"title", "T"}};

json nested() {
  json inside = flat;
  inside.erase("type");
  return {{"type", "url_citation"}, {"url_citation", inside}};
}

std::string lines_of(const std::vector<json>& all) {
  std::string bytes;
  for (const json& each : all) {
    if (each.contains("type")) bytes += "event: " + each["type"].get<std::string>() + "\n";
    bytes += "data: " + each.dump() + "\n\n";
  }
  return bytes;
}

sent_answer chat_cites(bool is_stream) {
  const auto holder = [is_stream](const json& said, const json& finish) {
    const json choice = {{"index", 0}, {is_stream ? "delta" : "message", said}, {"finish_reason", finish}};
    return json{{"id", "c"}, {"object", is_stream ? "chat.completion.chunk" : "chat.completion"}, {"created", 1}, {"model", "m"},
                {"choices", {choice}}, {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 2}, {"total_tokens", 3}}}};
  };
  json message = {{"role", "assistant"}, {"content", opening + cited}, {"annotations", {nested()}}};
  if (!is_stream) return {"openai", wire_format::openai_chat, sent_as::whole, holder(message, "stop").dump()};
  message.erase("annotations");
  return {"openai", wire_format::openai_chat, sent_as::events,
          lines_of({holder(message, nullptr), holder({{"annotations", {nested()}}}, nullptr), holder(json::object(), "stop")}) + "data: [DONE]\n\n"};
}

// Returns an answer with one item that has two parts. In the Responses API, the positions of citations are relative to the part.
sent_answer responses_cite(bool is_stream, bool has_events) {
  json local = flat;
  local["start_index"] = 0, local["end_index"] = 5;
  json item = {{"type", "message"}, {"id", "msg_1"}, {"role", "assistant"}, {"status", "completed"}};
  item["content"] = {{{"type", "output_text"}, {"text", opening}, {"annotations", json::array()}},
                     {{"type", "output_text"}, {"text", cited}, {"annotations", {local}}}};
  const json whole = {{"id", "resp_1"}, {"object", "response"}, {"created_at", 1}, {"model", "m"}, {"status", "completed"},
                      {"error", nullptr}, {"incomplete_details", nullptr}, {"output", {item}},
                      {"usage", {{"input_tokens", 1}, {"output_tokens", 2}, {"total_tokens", 3}}}};
  if (!is_stream) return {"openai", wire_format::openai_responses, sent_as::whole, whole.dump()};
  json begun = item;
  begun["content"] = json::array();
  std::vector<json> all{{{"type", "response.output_item.added"}, {"output_index", 0}, {"item", begun}}};
  for (int part = 0; const std::string& text : {opening, cited}) {
    const auto say = [&](const char* type, json event) {
      event.update({{"type", type}, {"output_index", 0}, {"item_id", "msg_1"}, {"content_index", part}});
      all.push_back(event);
    };
    say("response.content_part.added", {{"part", {{"type", "output_text"}, {"text", ""}, {"annotations", json::array()}}}});
    say("response.output_text.delta", {{"delta", text}});
    if (part == 1 && has_events) say("response.output_text.annotation.added", {{"annotation_index", 0}, {"annotation", local}});
    ++part;
  }
  all.push_back({{"type", "response.output_item.done"}, {"output_index", 0}, {"item", item}});
  all.push_back({{"type", "response.completed"}, {"response", whole}});
  return {"openai", wire_format::openai_responses, sent_as::events, lines_of(all)};
}

// Returns an answer of Claude. The citation applies to the whole text of the content block.
sent_answer claude_cites(bool is_stream) {
  const json citation = {{"type", "web_search_result_location"}, {"url", "https://e.org"}, {"title", "T"}, {"encrypted_index", "x"}, {"cited_text", "c"}};
  json message = {{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", "m"}, {"content", json::array()},
                  {"stop_reason", nullptr}, {"stop_sequence", nullptr}, {"usage", {{"input_tokens", 1}, {"output_tokens", 2}}}};
  std::vector<json> all{{{"type", "message_start"}, {"message", message}}};
  const auto say = [&](const char* type, int index, json event) {
    event.update({{"type", type}, {"index", index}});
    all.push_back(event);
  };
  say("content_block_start", 0, {{"content_block", {{"type", "text"}, {"text", ""}}}});
  say("content_block_delta", 0, {{"delta", {{"type", "text_delta"}, {"text", opening}}}});
  say("content_block_stop", 0, json::object());
  say("content_block_start", 1, {{"content_block", {{"type", "text"}, {"text", ""}, {"citations", json::array()}}}});
  say("content_block_delta", 1, {{"delta", {{"type", "citations_delta"}, {"citation", citation}}}});
  say("content_block_delta", 1, {{"delta", {{"type", "text_delta"}, {"text", cited}}}});
  say("content_block_stop", 1, json::object());
  all.push_back({{"type", "message_delta"}, {"delta", {{"stop_reason", "end_turn"}}}, {"usage", {{"output_tokens", 2}}}});
  all.push_back({{"type", "message_stop"}});
  if (is_stream) return {"anthropic", wire_format::anthropic_messages, sent_as::events, lines_of(all)};
  message["content"] = {{{"type", "text"}, {"text", opening}}, {{"type", "text"}, {"text", cited}, {"citations", {citation}}}};
  message["stop_reason"] = "end_turn";
  return {"anthropic", wire_format::anthropic_messages, sent_as::whole, message.dump()};
}

sent_answer gemini_cites(bool is_stream) {
  const json grounding = {{"groundingChunks", {{{"web", {{"uri", "https://e.org"}, {"title", "T"}}}}}},
                          {"groundingSupports", {{{"segment", {{"startIndex", 3}, {"endIndex", 8}, {"text", cited}}}, {"groundingChunkIndices", {0}}}}}};
  const auto chunk = [](const std::string& text, const json& more) {
    json candidate = {{"content", {{"parts", {{{"text", text}}}}, {"role", "model"}}}, {"index", 0}};
    candidate.update(more);
    return json{{"candidates", {candidate}}};
  };
  const json end = {{"finishReason", "STOP"}, {"groundingMetadata", grounding}};
  if (!is_stream) return {"gemini", wire_format::gemini, sent_as::whole, chunk(opening + cited, end).dump()};
  return {"gemini", wire_format::gemini, sent_as::events, lines_of({chunk(opening, json::object()), chunk(cited, end)})};
}

sent_answer converse_cites(bool is_stream) {
  const json citation = {{"title", "T"}, {"location", {{"web", {{"url", "https://e.org"}, {"domain", "e.org"}}}}}};
  const json usage = {{"inputTokens", 1}, {"outputTokens", 2}, {"totalTokens", 3}};
  if (!is_stream) {
    const json content = {{{"text", opening}}, {{"citationsContent", {{"content", {{{"text", cited}}}}, {"citations", {citation}}}}}};
    return {"bedrock", wire_format::bedrock_converse, sent_as::whole,
            json{{"output", {{"message", {{"role", "assistant"}, {"content", content}}}}}, {"stopReason", "end_turn"}, {"usage", usage}}.dump()};
  }
  std::string bytes = test::event_frame_of("messageStart", R"({"role":"assistant"})");
  const auto say = [&bytes](const char* type, const json& event) { bytes += test::event_frame_of(type, event.dump()); };
  say("contentBlockDelta", {{"contentBlockIndex", 0}, {"delta", {{"text", opening}}}});
  say("contentBlockStop", {{"contentBlockIndex", 0}});
  say("contentBlockDelta", {{"contentBlockIndex", 1}, {"delta", {{"text", cited}}}});
  say("contentBlockDelta", {{"contentBlockIndex", 1}, {"delta", {{"citation", citation}}}});
  say("contentBlockStop", {{"contentBlockIndex", 1}});
  say("messageStop", {{"stopReason", "end_turn"}});
  say("metadata", {{"usage", usage}});
  return {"bedrock", wire_format::bedrock_converse, sent_as::frames, bytes};
}

struct citing_provider {
  const char* name;
  std::function<sent_answer(bool is_stream)> answer;
};
const std::vector<citing_provider> citing{{"Chat", chat_cites},
                                          {"Responses", [](bool is_stream) { return responses_cite(is_stream, true); }},
                                          {"Responses without events", [](bool is_stream) { return responses_cite(is_stream, false); }},
                                          {"Claude", claude_cites},
                                          {"Gemini", gemini_cites},
                                          {"Converse", converse_cites}};

// The citations that a client finds, and the names of the parts that the gateway reports as lost.
struct read_citations {
  json annotations = json::array(), said = json::array(), lost;
};

read_citations citations_in(const std::string& bytes, bool is_stream) {
  read_citations got;
  std::vector<json> all;
  if (!is_stream) all.push_back(json::parse(bytes));
  else
    for (std::size_t at = bytes.find("data: {"); at != std::string::npos; at = bytes.find("data: {", at + 1))
      all.push_back(json::parse(bytes.substr(at + 6, bytes.find('\n', at) - at - 6)));
  for (const json& each : all) {
    if (each.value("type", "") == "response.output_text.annotation.added") got.said.push_back(each.at("annotation"));
    const json holder = each.value("response", each);
    if (holder.contains("x_race_dropped")) got.lost = holder["x_race_dropped"];
    for (const json& choice : each.value("choices", json::array()))
      for (const json& one : choice.value(is_stream ? "delta" : "message", json::object()).value("annotations", json::array()))
        got.annotations.push_back(one);
  }
  for (const json& item : all.back().value("response", all.back()).value("output", json::array()))
    for (const json& part : item.at("content"))
      for (const json& one : part.at("annotations")) got.annotations.push_back(one);
  return got;
}

TEST(CitationPairs, ReachChatAndResponsesAndAreNamedToMessages) {
  for (const citing_provider& from : citing)
    for (const reading_client& by : clients)
      for (const bool is_stream : {true, false}) {
        const sent_answer sent = from.answer(is_stream);
        if (sent.format == by.format) continue;
        SCOPED_TRACE(std::string(from.name) + " to " + by.name + (is_stream ? ", streamed" : ", whole"));
        const relayed_answer got = relay(by.speaks, by.request, sent, is_stream);
        ASSERT_FALSE(got.failed) << got.failed->detail;
        const read_citations read = citations_in(got.bytes, is_stream);
        if (by.format == wire_format::anthropic_messages) {
          EXPECT_EQ(read.lost, json::array({"citations"})) << got.bytes;
          continue;
        }
        EXPECT_EQ(read.annotations, json::array({by.format == wire_format::openai_chat ? nested() : flat})) << got.bytes;
        EXPECT_EQ(read.lost, json());
        if (by.format != wire_format::openai_responses || !is_stream) continue;
        EXPECT_EQ(read.said, json::array({flat}));
        EXPECT_EQ(testing::strict_accumulator(testing::read_named_events(got.bytes)).fault, "");
      }
}

TEST(CitationPairs, AFileIsNamedToChat) {
  const json document = {{"type", "char_location"}, {"document_index", 0}, {"document_title", "D"}, {"cited_text", "c"}, {"file_id", nullptr}};
  const json message = {{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", "m"},
                        {"content", {{{"type", "text"}, {"text", cited}, {"citations", {document}}}}}, {"stop_reason", "end_turn"},
                        {"stop_sequence", nullptr}, {"usage", {{"input_tokens", 1}, {"output_tokens", 2}}}};
  for (const reading_client& by : clients) {
    if (by.format == wire_format::anthropic_messages) continue;
    const sent_answer sent{"anthropic", wire_format::anthropic_messages, sent_as::whole, message.dump()};
    const relayed_answer got = relay(by.speaks, by.request, sent, false);
    ASSERT_FALSE(got.failed) << got.failed->detail;
    const read_citations read = citations_in(got.bytes, false);
    EXPECT_TRUE(read.annotations.empty());
    EXPECT_EQ(read.lost, json::array({"citations"}));
  }
}

}  // namespace
}  // namespace photofinish::gateway::pairs
