#include "tests/unit/gateway/api/pairs/client_readers.hpp"

#include <stdexcept>

namespace photofinish::gateway::pairs {
namespace {

// Returns the data of each event, without comments and without [DONE].
std::vector<json> data_of(const std::string& bytes) {
  std::vector<json> all;
  for (std::size_t at = bytes.find("data: "); at != std::string::npos; at = bytes.find("\ndata: ", at + 1)) {
    const std::size_t begin = bytes.find('{', at), end = bytes.find('\n', at + 1);
    if (begin < end) all.push_back(json::parse(bytes.substr(begin, end - begin)));
  }
  return all;
}

std::string text_in(const json& object, const char* key) {
  const json found = object.value(key, json());
  return found.is_string() ? found.get<std::string>() : std::string();
}

spoken_usage usage_of(std::uint64_t input, std::uint64_t cached, std::uint64_t written, std::uint64_t output) {
  return {input - cached - written, cached, written, output};
}

// Chat

finish_reason chat_finish(const std::string& word) {
  if (word == "length") return finish_reason::length;
  if (word == "tool_calls") return finish_reason::tool_calls;
  if (word == "content_filter") return finish_reason::content_filter;
  if (word != "stop") throw std::invalid_argument("finish_reason: " + word);
  return finish_reason::stop;
}

spoken_usage chat_usage(const json& usage) {
  const json details = usage.at("prompt_tokens_details");
  return usage_of(usage.at("prompt_tokens"), details.at("cached_tokens"), details.value("cache_write_tokens", 0),
                  usage.at("completion_tokens"));
}

void add_calls(const json& calls, spoken_answer& into) {
  for (const json& each : calls) {
    const std::size_t at = each.value("index", into.calls.size());
    if (at >= into.calls.size()) into.calls.resize(at + 1);
    const json function = each.value("function", json::object());
    into.calls[at].id += text_in(each, "id");
    into.calls[at].name += text_in(function, "name");
    into.calls[at].arguments += text_in(function, "arguments");
  }
}

void add_message(const json& said, spoken_answer& into) {
  into.thought += text_in(said, "reasoning_content");
  into.text += text_in(said, "content");
  if (said.contains("tool_calls")) add_calls(said["tool_calls"], into);
}

// Messages

finish_reason message_finish(const std::string& word) {
  if (word == "max_tokens") return finish_reason::length;
  if (word == "tool_use") return finish_reason::tool_calls;
  if (word == "refusal") return finish_reason::content_filter;
  if (word != "end_turn") throw std::invalid_argument("stop_reason: " + word);
  return finish_reason::stop;
}

void read_message_usage(const json& usage, spoken_usage& into) {
  into.input = usage.value("input_tokens", into.input);
  into.cached = usage.value("cache_read_input_tokens", into.cached);
  into.written = usage.value("cache_creation_input_tokens", into.written);
  into.output = usage.value("output_tokens", into.output);
}

}  // namespace

spoken_answer read_chat_stream(const std::string& bytes) {
  spoken_answer all;
  for (const json& each : data_of(bytes)) {
    if (each.contains("usage") && each["usage"].is_object()) all.usage = chat_usage(each["usage"]);
    if (each.at("choices").empty()) continue;
    const json& choice = each["choices"][0];
    add_message(choice.at("delta"), all);
    if (const std::string word = text_in(choice, "finish_reason"); !word.empty()) all.finish = chat_finish(word);
  }
  return all;
}

spoken_answer read_chat_whole(const json& answer) {
  spoken_answer all;
  const json& choice = answer.at("choices").at(0);
  add_message(choice.at("message"), all);
  all.finish = chat_finish(choice.at("finish_reason"));
  all.usage = chat_usage(answer.at("usage"));
  return all;
}

spoken_answer read_response_whole(const json& answer) {
  spoken_answer all;
  for (const json& item : answer.at("output")) {
    const std::string type = item.at("type");
    if (type == "reasoning")
      for (const json& part : item.at("summary")) all.thought += text_in(part, "text");
    else if (type == "message")
      for (const json& part : item.at("content")) all.text += text_in(part, "text");
    else if (type != "image_generation_call") all.calls.push_back({item.at("call_id"), item.at("name"), item.at("arguments")});
  }
  const std::string status = answer.at("status");
  if (status == "completed") all.finish = all.calls.empty() ? finish_reason::stop : finish_reason::tool_calls;
  else if (status != "incomplete") throw std::invalid_argument("status: " + status);
  else if (answer.at("incomplete_details").at("reason") == "max_output_tokens") all.finish = finish_reason::length;
  else all.finish = finish_reason::content_filter;
  const json& usage = answer.at("usage");
  const json& details = usage.at("input_tokens_details");
  all.usage = usage_of(usage.at("input_tokens"), details.at("cached_tokens"), details.value("cache_write_tokens", 0),
                       usage.at("output_tokens"));
  return all;
}

// Reads a Responses stream. Its deltas, joined together, must equal the response in the last event.
spoken_answer read_response_stream(const std::string& bytes) {
  spoken_answer heard;
  std::string arguments;
  const std::vector<json> events = data_of(bytes);
  for (const json& each : events) {
    const std::string type = each.at("type");
    if (type == "response.reasoning_summary_text.delta") heard.thought += text_in(each, "delta");
    if (type == "response.output_text.delta") heard.text += text_in(each, "delta");
    if (type == "response.function_call_arguments.delta") arguments += text_in(each, "delta");
  }
  spoken_answer whole = read_response_whole(events.back().at("response"));
  for (const spoken_call& each : whole.calls) {
    if (!arguments.starts_with(each.arguments)) throw std::invalid_argument("arguments: " + arguments);
    arguments.erase(0, each.arguments.size());
  }
  if (heard.text != whole.text || heard.thought != whole.thought || !arguments.empty())
    throw std::invalid_argument("what was heard is not what the response holds: " + heard.text + heard.thought);
  return whole;
}

spoken_answer read_message_stream(const std::string& bytes) {
  spoken_answer all;
  for (const json& each : data_of(bytes)) {
    const std::string type = each.at("type");
    if (type == "message_start") read_message_usage(each.at("message").at("usage"), all.usage);
    if (type == "content_block_start" && each.at("content_block").at("type") == "tool_use")
      all.calls.push_back({each["content_block"].at("id"), each["content_block"].at("name"), ""});
    if (type == "content_block_delta") {
      const json& delta = each.at("delta");
      all.text += text_in(delta, "text");
      all.thought += text_in(delta, "thinking");
      if (delta.contains("partial_json")) all.calls.back().arguments += text_in(delta, "partial_json");
    }
    if (type != "message_delta") continue;
    all.finish = message_finish(each.at("delta").at("stop_reason"));
    read_message_usage(each.at("usage"), all.usage);
  }
  return all;
}

spoken_answer read_message_whole(const json& answer) {
  spoken_answer all;
  for (const json& block : answer.at("content")) {
    all.text += text_in(block, "text");
    all.thought += text_in(block, "thinking");
    if (block.at("type") == "tool_use") all.calls.push_back({block.at("id"), block.at("name"), block.at("input").dump()});
  }
  all.finish = message_finish(answer.at("stop_reason"));
  read_message_usage(answer.at("usage"), all.usage);
  return all;
}

}  // namespace photofinish::gateway::pairs
