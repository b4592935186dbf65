#include "tests/unit/proxy/pairs/client_bodies.hpp"

#include <utility>

namespace photofinish::proxy::pairs {
namespace {

const json any_object = {{"type", "object"}, {"properties", {{"path", {{"type", "string"}}}}}};

std::string data_url(const std::string& type, const std::string& base64) { return "data:" + type + ";base64," + base64; }

bool is_instruction(const spoken_item& each) { return each.who == speaks_as::system || each.who == speaks_as::developer; }

// Returns the last entry of `list` if it has this role. Otherwise appends an empty entry with this role and returns it.
json& turn_of(json& list, const std::string& role) {
  if (list.empty() || list.back().value("role", "") != role) list.push_back({{"role", role}, {"content", json::array()}});
  return list.back();
}

// Chat

json chat_part(const spoken_item& each) {
  if (each.what == says::image)
    return {{"type", "image_url"}, {"image_url", {{"url", data_url("image/png", each.text)}}}};
  if (each.what == says::document)
    return {{"type", "file"}, {"file", {{"filename", each.name}, {"file_data", data_url("application/pdf", each.text)}}}};
  return {{"type", "text"}, {"text", each.text}};
}

json chat_call(const spoken_item& each) {
  return {{"id", each.id}, {"type", "function"}, {"function", {{"name", each.name}, {"arguments", each.text}}}};
}

void add_to_chat(json& messages, const spoken_item& each) {
  if (each.who == speaks_as::tool)
    return messages.push_back({{"role", "tool"}, {"tool_call_id", each.id}, {"content", each.text}});
  if (is_instruction(each))
    return messages.push_back({{"role", each.who == speaks_as::system ? "system" : "developer"}, {"content", each.text}});
  json& turn = turn_of(messages, each.who == speaks_as::user ? "user" : "assistant");
  if (each.what == says::call) turn["tool_calls"].push_back(chat_call(each));
  else turn["content"].push_back(chat_part(each));
}

// Responses

json response_part(const spoken_item& each) {
  if (each.what == says::image) return {{"type", "input_image"}, {"image_url", data_url("image/png", each.text)}};
  if (each.what == says::document)
    return {{"type", "input_file"}, {"filename", each.name}, {"file_data", data_url("application/pdf", each.text)}};
  return {{"type", "input_text"}, {"text", each.text}};
}

json response_item(const spoken_item& each) {
  if (each.what == says::call)
    return {{"type", "function_call"}, {"call_id", each.id}, {"name", each.name}, {"arguments", each.text}};
  if (each.what == says::result) return {{"type", "function_call_output"}, {"call_id", each.id}, {"output", each.text}};
  if (each.who == speaks_as::assistant) {
    const json text = {{"type", "output_text"}, {"text", each.text}, {"annotations", json::array()}};
    return {{"type", "message"}, {"role", "assistant"}, {"content", json::array({text})}};
  }
  const char* const role = each.who == speaks_as::user ? "user" : each.who == speaks_as::system ? "system" : "developer";
  return {{"role", role}, {"content", json::array({response_part(each)})}};
}

// Messages

json message_block(const spoken_item& each) {
  if (each.what == says::call)
    return {{"type", "tool_use"}, {"id", each.id}, {"name", each.name}, {"input", json::parse(each.text)}};
  if (each.what == says::result) return {{"type", "tool_result"}, {"tool_use_id", each.id}, {"content", each.text}};
  if (each.what == says::text) return {{"type", "text"}, {"text", each.text}};
  const bool is_image = each.what == says::image;
  const json source = {{"type", "base64"}, {"media_type", is_image ? "image/png" : "application/pdf"}, {"data", each.text}};
  json block = {{"type", is_image ? "image" : "document"}, {"source", source}};
  if (!is_image) block["title"] = each.name;
  return block;
}

}  // namespace

json chat_request(const dialogue& all) {
  json made = {{"messages", json::array()}};
  for (const spoken_item& each : all.items) add_to_chat(made["messages"], each);
  for (json& each : made["messages"])
    if (each.at("content").is_array() && each.at("content").empty()) each["content"] = nullptr;  // only calls
  for (const std::string& each : all.tools)
    made["tools"].push_back({{"type", "function"}, {"function", {{"name", each}, {"parameters", any_object}}}});
  if (all.forced == "any") made["tool_choice"] = "required";
  else if (!all.forced.empty()) made["tool_choice"] = {{"type", "function"}, {"function", {{"name", all.forced}}}};
  if (!all.schema.is_null())
    made["response_format"] = {{"type", "json_schema"}, {"json_schema", {{"name", "answer"}, {"schema", all.schema}}}};
  if (!all.stops.empty()) made["stop"] = all.stops;
  if (all.max_tokens > 0) made["max_completion_tokens"] = all.max_tokens;
  return made;
}

json responses_request(const dialogue& all) {
  json made = {{"input", json::array()}, {"store", false}};
  for (const spoken_item& each : all.items) made["input"].push_back(response_item(each));
  for (const std::string& each : all.tools)
    made["tools"].push_back({{"type", "function"}, {"name", each}, {"parameters", any_object}, {"strict", false}});
  if (all.forced == "any") made["tool_choice"] = "required";
  else if (!all.forced.empty()) made["tool_choice"] = {{"type", "function"}, {"name", all.forced}};
  if (!all.schema.is_null())
    made["text"]["format"] = {{"type", "json_schema"}, {"name", "answer"}, {"schema", all.schema}};
  if (all.max_tokens > 0) made["max_output_tokens"] = all.max_tokens;
  return made;
}

json messages_request(const dialogue& all) {
  json made = {{"messages", json::array()}, {"max_tokens", all.max_tokens > 0 ? all.max_tokens : 1000}};
  for (const spoken_item& each : all.items) {
    if (is_instruction(each)) made["system"].push_back({{"type", "text"}, {"text", each.text}});
    else
      turn_of(made["messages"], each.who == speaks_as::assistant ? "assistant" : "user")["content"].push_back(
          message_block(each));
  }
  for (const std::string& each : all.tools) made["tools"].push_back({{"name", each}, {"input_schema", any_object}});
  if (all.forced == "any") made["tool_choice"] = {{"type", "any"}};
  else if (!all.forced.empty()) made["tool_choice"] = {{"type", "tool"}, {"name", all.forced}};
  if (!all.schema.is_null())
    made["output_config"]["format"] = {{"type", "json_schema"}, {"schema", all.schema}};
  if (!all.stops.empty()) made["stop_sequences"] = all.stops;
  return made;
}

}  // namespace photofinish::proxy::pairs
