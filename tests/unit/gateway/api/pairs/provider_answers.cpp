#include "tests/unit/gateway/api/pairs/provider_answers.hpp"

#include "proxy/json/base64.hpp"
#include "tests/support/streams/frames.hpp"

#include <utility>

namespace photofinish::gateway::pairs {
namespace {

using events = std::vector<json>;

std::uint64_t whole_input(const spoken_answer& said) { return said.usage.input + said.usage.cached + said.usage.written; }

// Splits a string into two pieces. A short string stays one piece, and an empty string has no pieces.
std::vector<std::string> pieces(const std::string& text) {
  if (text.empty()) return {};
  if (text.size() < 4) return {text};
  return {text.substr(0, 3), text.substr(3)};
}

std::string with_data(const events& all) {
  std::string bytes;
  for (const json& each : all) bytes += "data: " + each.dump() + "\n\n";
  return bytes;
}

std::string with_names(const events& all) {
  std::string bytes;
  for (const json& each : all) bytes += "event: " + each.at("type").get<std::string>() + "\ndata: " + each.dump() + "\n\n";
  return bytes;
}

json chunk(const json& delta, const json& finish = nullptr) {
  const json choice = {{"index", 0}, {"delta", delta}, {"finish_reason", finish}};
  return {{"id", "c1"}, {"object", "chat.completion.chunk"}, {"created", 1}, {"model", "m"}, {"choices", {choice}}};
}

std::string chat_word(finish_reason reason) {
  switch (reason) {
    case finish_reason::length: return "length";
    case finish_reason::tool_calls: return "tool_calls";
    case finish_reason::content_filter: return "content_filter";
    default: return "stop";
  }
}

// Responses

class response_events {
 public:
  explicit response_events(const spoken_answer& said) : said_(said) {}

  events make() && {
    say("response.created", {{"response", response("in_progress")}});
    if (!said_.thought.empty()) add_thought();
    if (!said_.text.empty()) add_message();
    for (const spoken_call& each : said_.calls) add_call(each);
    const bool is_cut = said_.finish == finish_reason::length || said_.finish == finish_reason::content_filter;
    json whole = response(is_cut ? "incomplete" : "completed");
    whole["output"] = items_;
    whole["usage"] = {{"input_tokens", whole_input(said_)}, {"output_tokens", said_.usage.output},
                      {"total_tokens", whole_input(said_) + said_.usage.output},
                      {"input_tokens_details",
                       {{"cached_tokens", said_.usage.cached}, {"cache_write_tokens", said_.usage.written}}},
                      {"output_tokens_details", {{"reasoning_tokens", 0}}}};
    if (is_cut)
      whole["incomplete_details"]["reason"] =
          said_.finish == finish_reason::length ? "max_output_tokens" : "content_filter";
    say(is_cut ? "response.incomplete" : "response.completed", {{"response", whole}});
    return std::move(events_);
  }

 private:
  static json response(const char* status) {
    return {{"id", "resp_1"}, {"object", "response"}, {"created_at", 1}, {"model", "m"}, {"status", status},
            {"output", json::array()}, {"incomplete_details", nullptr}, {"error", nullptr}};
  }

  void say(const char* type, json event) {
    event["type"] = type;
    event["sequence_number"] = events_.size();
    events_.push_back(std::move(event));
  }

  // Adds an item to the stream. `begun` is the item at its start, and `whole` is the complete item. `text` is streamed in events of the
  // type `delta`.
  void add(const json& begun, const char* delta, const std::string& text, const json& place, const json& whole) {
    say("response.output_item.added", {{"output_index", items_.size()}, {"item", begun}});
    for (const std::string& each : pieces(text)) {
      json said = {{"output_index", items_.size()}, {"item_id", whole.at("id")}, {"delta", each}};
      said.update(place);
      say(delta, said);
    }
    say("response.output_item.done", {{"output_index", items_.size()}, {"item", whole}});
    items_.push_back(whole);
  }

  void add_thought() {
    json begun = {{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}};
    json whole = begun;
    whole["summary"].push_back({{"type", "summary_text"}, {"text", said_.thought}});
    add(begun, "response.reasoning_summary_text.delta", said_.thought, {{"summary_index", 0}}, whole);
  }

  void add_message() {
    json begun = {{"type", "message"}, {"id", "msg_1"}, {"role", "assistant"}, {"status", "in_progress"},
                  {"content", json::array()}};
    json whole = begun;
    whole["status"] = "completed";
    whole["content"].push_back({{"type", "output_text"}, {"text", said_.text}, {"annotations", json::array()}});
    add(begun, "response.output_text.delta", said_.text, {{"content_index", 0}}, whole);
  }

  void add_call(const spoken_call& each) {
    json begun = {{"type", "function_call"}, {"id", "fc_" + each.id}, {"call_id", each.id}, {"name", each.name},
                  {"arguments", ""}, {"status", "in_progress"}};
    json whole = begun;
    whole["arguments"] = each.arguments;
    whole["status"] = "completed";
    add(begun, "response.function_call_arguments.delta", each.arguments, json::object(), whole);
  }

  const spoken_answer& said_;
  events events_;
  json items_ = json::array();
};

// Messages

std::string message_word(finish_reason reason) {
  switch (reason) {
    case finish_reason::length: return "max_tokens";
    case finish_reason::tool_calls: return "tool_use";
    case finish_reason::content_filter: return "refusal";
    default: return "end_turn";
  }
}

void add_block(events& all, int& index, const json& begun, const std::string& text, const char* type, const char* key) {
  all.push_back({{"type", "content_block_start"}, {"index", index}, {"content_block", begun}});
  for (const std::string& each : pieces(text))
    all.push_back({{"type", "content_block_delta"}, {"index", index}, {"delta", {{"type", type}, {key, each}}}});
  all.push_back({{"type", "content_block_stop"}, {"index", index++}});
}

events message_events(const spoken_answer& said) {
  const json usage = {{"input_tokens", said.usage.input}, {"cache_read_input_tokens", said.usage.cached},
                      {"cache_creation_input_tokens", said.usage.written}, {"output_tokens", 1}};
  const json message = {{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", "m"},
                        {"content", json::array()}, {"stop_reason", nullptr}, {"usage", usage}};
  events all{{{"type", "message_start"}, {"message", message}}};
  int index = 0;
  if (!said.thought.empty())
    add_block(all, index, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, said.thought, "thinking_delta",
              "thinking");
  if (!said.text.empty()) add_block(all, index, {{"type", "text"}, {"text", ""}}, said.text, "text_delta", "text");
  for (const spoken_call& each : said.calls)
    add_block(all, index, {{"type", "tool_use"}, {"id", each.id}, {"name", each.name}, {"input", json::object()}},
              each.arguments, "input_json_delta", "partial_json");
  all.push_back({{"type", "message_delta"},
                 {"delta", {{"stop_reason", message_word(said.finish)}, {"stop_sequence", nullptr}}},
                 {"usage", {{"output_tokens", said.usage.output}}}});
  all.push_back({{"type", "message_stop"}});
  return all;
}

// Converse

std::string converse_word(finish_reason reason) {
  switch (reason) {
    case finish_reason::length: return "max_tokens";
    case finish_reason::tool_calls: return "tool_use";
    case finish_reason::content_filter: return "content_filtered";
    default: return "end_turn";
  }
}

std::string converse_block(int index, const json& start, const std::vector<json>& deltas) {
  std::string bytes;
  if (!start.is_null())
    bytes += test::event_frame_of("contentBlockStart", json{{"contentBlockIndex", index}, {"start", start}}.dump());
  for (const json& each : deltas)
    bytes += test::event_frame_of("contentBlockDelta", json{{"contentBlockIndex", index}, {"delta", each}}.dump());
  return bytes + test::event_frame_of("contentBlockStop", json{{"contentBlockIndex", index}}.dump());
}

}  // namespace

std::string chat_answer(const spoken_answer& said) {
  events all{chunk({{"role", "assistant"}, {"content", ""}})};
  for (const std::string& each : pieces(said.thought)) all.push_back(chunk({{"reasoning_content", each}}));
  for (const std::string& each : pieces(said.text)) all.push_back(chunk({{"content", each}}));
  for (std::size_t at = 0; at < said.calls.size(); ++at) {
    const spoken_call& each = said.calls[at];
    const json begun = {{"index", at}, {"id", each.id}, {"type", "function"},
                        {"function", {{"name", each.name}, {"arguments", ""}}}};
    all.push_back(chunk({{"tool_calls", {begun}}}));
    for (const std::string& piece : pieces(each.arguments))
      all.push_back(chunk({{"tool_calls", {{{"index", at}, {"function", {{"arguments", piece}}}}}}}));
  }
  all.push_back(chunk(json::object(), chat_word(said.finish)));
  json last = chunk(json::object());
  last["choices"] = json::array();
  last["usage"] = {{"prompt_tokens", whole_input(said)}, {"completion_tokens", said.usage.output},
                   {"total_tokens", whole_input(said) + said.usage.output},
                   {"prompt_tokens_details",
                    {{"cached_tokens", said.usage.cached}, {"cache_write_tokens", said.usage.written}}}};
  all.push_back(last);
  return with_data(all) + "data: [DONE]\n\n";
}

std::string responses_answer(const spoken_answer& said) { return with_names(response_events(said).make()); }

std::string messages_answer(const spoken_answer& said) { return with_names(message_events(said)); }

std::string gemini_answer(const spoken_answer& said) {
  events all;
  const auto say = [&all](const json& part) {
    const json candidate = {{"index", 0}, {"content", {{"role", "model"}, {"parts", {part}}}}};
    all.push_back({{"candidates", {candidate}}, {"responseId", "r1"}});
  };
  for (const std::string& each : pieces(said.thought)) say({{"text", each}, {"thought", true}});
  for (const std::string& each : pieces(said.text)) say({{"text", each}});
  for (const spoken_call& each : said.calls)
    say({{"functionCall", {{"id", each.id}, {"name", each.name}, {"args", json::parse(each.arguments)}}}});
  const char* const word = said.finish == finish_reason::length           ? "MAX_TOKENS"
                           : said.finish == finish_reason::content_filter ? "SAFETY"
                                                                          : "STOP";
  all.back()["candidates"][0]["finishReason"] = word;
  all.back()["usageMetadata"] = {{"promptTokenCount", whole_input(said)}, {"candidatesTokenCount", said.usage.output},
                                 {"cachedContentTokenCount", said.usage.cached}};
  return with_data(all);
}

std::string converse_answer(const spoken_answer& said) {
  std::string bytes = test::event_frame_of("messageStart", R"({"role":"assistant"})");
  int index = 0;
  std::vector<json> deltas;
  for (const std::string& each : pieces(said.thought)) deltas.push_back({{"reasoningContent", {{"text", each}}}});
  if (!deltas.empty()) bytes += converse_block(index++, nullptr, std::exchange(deltas, {}));
  for (const std::string& each : pieces(said.text)) deltas.push_back({{"text", each}});
  if (!deltas.empty()) bytes += converse_block(index++, nullptr, std::exchange(deltas, {}));
  for (const spoken_call& each : said.calls) {
    for (const std::string& piece : pieces(each.arguments)) deltas.push_back({{"toolUse", {{"input", piece}}}});
    bytes += converse_block(index++, {{"toolUse", {{"toolUseId", each.id}, {"name", each.name}}}},
                            std::exchange(deltas, {}));
  }
  bytes += test::event_frame_of("messageStop", json{{"stopReason", converse_word(said.finish)}}.dump());
  const json usage = {{"inputTokens", said.usage.input}, {"outputTokens", said.usage.output},
                      {"cacheReadInputTokens", said.usage.cached}, {"cacheWriteInputTokens", said.usage.written},
                      {"totalTokens", said.usage.input + said.usage.output}};
  return bytes + test::event_frame_of("metadata", json{{"usage", usage}}.dump());
}

std::string claude_at_bedrock_answer(const spoken_answer& said) {
  std::string bytes;
  for (const json& each : message_events(said))
    bytes += test::event_frame_of(
        "chunk", json{{"bytes", proxy::base64_encoded(each.dump(), proxy::base64_padding::wanted)}}.dump());
  return bytes;
}

}  // namespace photofinish::gateway::pairs
