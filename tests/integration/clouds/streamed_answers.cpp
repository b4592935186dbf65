#include "tests/integration/clouds/streamed_answers.hpp"

#include "tests/unit/gateway/api/answer_driver.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace photofinish::testing {
namespace {

using gateway::testing::json;
using gateway::testing::read_event;
using gateway::testing::read_named_events;

// Merges a delta into an answer. Texts and lists are appended. Any other member gets the last value.
void merge(json& into, const json& delta) {
  for (const auto& [key, value] : delta.items()) {
    if (value.is_null()) continue;
    json& member = into[key];
    if (key == "content" || key == "reasoning_content" || key == "reasoning" || key == "arguments")
      member = (member.is_string() ? member.get<std::string>() : "") + value.get<std::string>();
    else if (key == "reasoning_details")
      for (const json& each : value) member.push_back(each);
    else if (value.is_object()) merge(member, value);
    else member = value;
  }
}

void merge_calls(json& calls, const json& deltas) {
  for (const json& delta : deltas) {
    const std::size_t at = delta.at("index");
    while (calls.size() <= at) calls.push_back(json::object());
    merge(calls[at], delta);
  }
}

json chat_answer(const std::string& stream) {
  json message{{"role", "assistant"}, {"content", nullptr}}, calls = json::array();
  std::string finish;
  constexpr std::string_view begin = "data: ";
  for (std::size_t at = stream.find(begin); at != std::string::npos; at = stream.find(begin, at + 1)) {
    const std::string data = stream.substr(at + begin.size(), stream.find('\n', at) - at - begin.size());
    if (data == "[DONE]") break;
    const json choices = json::parse(data).at("choices");
    if (choices.empty()) continue;
    json delta = choices[0].at("delta");
    merge_calls(calls, delta.value("tool_calls", json::array()));
    delta.erase("tool_calls");
    merge(message, delta);
    if (!choices[0].value("finish_reason", json()).is_null()) finish = choices[0]["finish_reason"].get<std::string>();
  }
  if (finish.empty()) throw std::runtime_error("no finish_reason in " + stream);
  for (json& call : calls) call.erase("index");
  if (!calls.empty()) message["tool_calls"] = calls;
  return {{"choices", json::array({{{"message", message}, {"finish_reason", finish}}})}};
}

void add_to_block(json& block, std::string& input, const json& delta) {
  const std::string type = delta.at("type");
  if (type == "input_json_delta") input += delta.at("partial_json").get<std::string>();
  else if (type == "text_delta") block["text"] = block.value("text", "") + delta.at("text").get<std::string>();
  else if (type == "thinking_delta") block["thinking"] = block.value("thinking", "") + delta.at("thinking").get<std::string>();
  else if (type == "signature_delta") block["signature"] = block.value("signature", "") + delta.at("signature").get<std::string>();
}

json messages_answer(const std::string& stream) {
  json content = json::array();
  std::vector<std::string> inputs;
  bool is_over = false;
  for (const read_event& event : read_named_events(stream)) {
    if (event.type == "content_block_start") {
      content.push_back(event.data.at("content_block"));
      inputs.emplace_back();
    }
    if (event.type == "content_block_delta") {
      const std::size_t at = event.data.at("index");
      add_to_block(content.at(at), inputs.at(at), event.data.at("delta"));
    }
    is_over |= event.type == "message_stop";
  }
  if (!is_over) throw std::runtime_error("no message_stop in " + stream);
  for (std::size_t at = 0; at < content.size(); ++at)
    if (!inputs[at].empty()) content[at]["input"] = json::parse(inputs[at]);
  return {{"content", content}};
}

// Returns the response in the stream's last event, as OpenAI's clients do.
json responses_answer(const std::string& stream) {
  const std::vector<read_event> events = read_named_events(stream);
  if (events.empty() || events.back().type != "response.completed") throw std::runtime_error("no response.completed in " + stream);
  return events.back().data.at("response");
}

}  // namespace

json put_together(const std::string& path, const std::string& stream) {
  if (path.starts_with("/v1/messages")) return messages_answer(stream);
  return path.starts_with("/v1/responses") ? responses_answer(stream) : chat_answer(stream);
}

}  // namespace photofinish::testing
