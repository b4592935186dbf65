#include "tests/unit/proxy/pairs/provider_readers.hpp"

#include <stdexcept>

namespace photofinish::proxy::pairs {
namespace {

std::string base64_of(const std::string& url) { return url.substr(url.find(";base64,") + 8); }

json list_of(const json& object, const char* key) {
  const json found = object.value(key, json());
  return found.is_array() ? found : json::array();
}

std::vector<std::string> strings_of(const json& list) {
  if (list.is_string()) return {list.get<std::string>()};
  return list.is_null() ? std::vector<std::string>{} : list.get<std::vector<std::string>>();
}

// Chat

spoken_item chat_part(speaks_as who, const json& part) {
  const std::string type = part.at("type");
  if (type == "text") return {who, says::text, part.at("text")};
  if (type == "image_url") return {who, says::image, base64_of(part.at("image_url").at("url"))};
  if (type == "file") return {who, says::document, base64_of(part.at("file").at("file_data"))};
  throw std::invalid_argument("a part of chat: " + type);
}

void read_chat_message(const json& message, dialogue& into) {
  const std::string role = message.at("role");
  const json content = message.value("content", json());
  if (role == "tool") return into.items.push_back(result(message.at("tool_call_id"), content.get<std::string>()));
  const speaks_as who = role == "user" ? speaks_as::user : role == "assistant" ? speaks_as::assistant : speaks_as::system;
  if (content.is_string()) into.items.push_back({who, says::text, content});
  if (content.is_array())
    for (const json& part : content) into.items.push_back(chat_part(who, part));
  for (const json& each : list_of(message, "tool_calls"))
    into.items.push_back(call(each.at("id"), each.at("function").at("name"), each.at("function").at("arguments")));
}

dialogue read_chat_request(const json& request) {
  dialogue all;
  for (const json& each : request.at("messages")) read_chat_message(each, all);
  for (const json& each : list_of(request, "tools")) all.tools.push_back(each.at("function").at("name"));
  const json choice = request.value("tool_choice", json());
  if (choice == "required") all.forced = "any";
  if (choice.is_object()) all.forced = choice.at("function").at("name");
  if (request.contains("response_format")) all.schema = request["response_format"].at("json_schema").at("schema");
  all.stops = strings_of(request.value("stop", json()));
  all.max_tokens = request.value("max_completion_tokens", request.value("max_tokens", 0));
  return all;
}

// Responses

void read_response_item(const json& item, dialogue& into) {
  const std::string type = item.value("type", "message");
  if (type == "function_call") return into.items.push_back(call(item.at("call_id"), item.at("name"), item.at("arguments")));
  if (type == "function_call_output") return into.items.push_back(result(item.at("call_id"), item.at("output")));
  if (type != "message") throw std::invalid_argument("an item of Responses: " + type);
  const std::string role = item.at("role");
  const speaks_as who = role == "user" ? speaks_as::user : role == "assistant" ? speaks_as::assistant : speaks_as::system;
  if (item.at("content").is_string()) return into.items.push_back({who, says::text, item.at("content")});
  for (const json& part : item.at("content")) {
    const std::string kind = part.at("type");
    if (kind == "input_image") into.items.push_back(image(base64_of(part.at("image_url"))));
    else if (kind == "input_file") into.items.push_back(document(base64_of(part.at("file_data")), part.at("filename")));
    else into.items.push_back({who, says::text, part.at("text")});
  }
}

dialogue read_responses_request(const json& request) {
  dialogue all;
  if (request.contains("instructions")) all.items.push_back(system(request["instructions"]));
  for (const json& each : request.at("input")) read_response_item(each, all);
  for (const json& each : list_of(request, "tools")) all.tools.push_back(each.at("name"));
  const json choice = request.value("tool_choice", json());
  if (choice == "required") all.forced = "any";
  if (choice.is_object()) all.forced = choice.at("name");
  if (const json format = request.value("text", json::object()).value("format", json()); format.is_object())
    all.schema = format.at("schema");
  all.max_tokens = request.value("max_output_tokens", 0);
  return all;
}

// Messages

void read_block(speaks_as who, const json& block, dialogue& into) {
  const std::string type = block.at("type");
  if (type == "text") into.items.push_back({who, says::text, block.at("text")});
  else if (type == "tool_use") into.items.push_back(call(block.at("id"), block.at("name"), block.at("input").dump()));
  else if (type == "image") into.items.push_back(image(block.at("source").at("data")));
  else if (type == "document") into.items.push_back(document(block.at("source").at("data"), ""));
  else if (type == "tool_result") {
    const json content = block.at("content");
    into.items.push_back(result(block.at("tool_use_id"), content.is_string() ? content : content.at(0).at("text")));
  } else {
    throw std::invalid_argument("a block of Messages: " + type);
  }
}

dialogue read_messages_request(const json& request) {
  dialogue all;
  const json instructions = request.value("system", json());
  if (instructions.is_string()) all.items.push_back(system(instructions));
  else if (instructions.is_array())
    for (const json& each : instructions) all.items.push_back(system(each.at("text")));
  for (const json& each : request.at("messages")) {
    const speaks_as who = each.at("role") == "assistant" ? speaks_as::assistant : speaks_as::user;
    if (each.at("content").is_string()) all.items.push_back({who, says::text, each.at("content")});
    else
      for (const json& block : each.at("content")) read_block(who, block, all);
  }
  for (const json& each : list_of(request, "tools")) all.tools.push_back(each.at("name"));
  const json choice = request.value("tool_choice", json::object());
  if (choice.value("type", "") == "any") all.forced = "any";
  if (choice.value("type", "") == "tool") all.forced = choice.at("name");
  if (const json format = request.value("output_config", json::object()).value("format", json()); format.is_object())
    all.schema = format.at("schema");
  all.stops = strings_of(request.value("stop_sequences", json()));
  all.max_tokens = request.at("max_tokens");
  return all;
}

// Gemini

void read_part(speaks_as who, const json& part, dialogue& into) {
  if (part.contains("text")) return into.items.push_back({who, says::text, part["text"]});
  if (part.contains("functionCall")) {
    const json& made = part["functionCall"];
    return into.items.push_back(call(made.value("id", ""), made.at("name"), made.value("args", json::object()).dump()));
  }
  if (part.contains("functionResponse")) {
    const json& came = part["functionResponse"];
    spoken_item one = result(came.value("id", ""), came.at("response").begin().value());
    one.name = came.at("name");
    return into.items.push_back(one);
  }
  const json& data = part.at("inlineData");
  const bool is_image = data.at("mimeType").get<std::string>().starts_with("image/");
  into.items.push_back({who, is_image ? says::image : says::document, data.at("data")});
}

dialogue read_gemini_request(const json& request) {
  dialogue all;
  if (request.contains("systemInstruction"))
    for (const json& each : request["systemInstruction"].at("parts")) all.items.push_back(system(each.at("text")));
  for (const json& content : request.at("contents"))
    for (const json& part : content.at("parts"))
      read_part(content.at("role") == "model" ? speaks_as::assistant : speaks_as::user, part, all);
  for (const json& group : list_of(request, "tools"))
    for (const json& each : group.at("functionDeclarations")) all.tools.push_back(each.at("name"));
  const json calling = request.value("toolConfig", json::object()).value("functionCallingConfig", json::object());
  if (calling.value("mode", "") == "ANY")
    all.forced = calling.contains("allowedFunctionNames") ? calling["allowedFunctionNames"][0] : json("any");
  const json config = request.value("generationConfig", json::object());
  all.schema = config.value("responseJsonSchema", json());
  all.stops = strings_of(config.value("stopSequences", json()));
  all.max_tokens = config.value("maxOutputTokens", 0);
  return all;
}

// Converse

void read_converse_block(speaks_as who, const json& block, dialogue& into) {
  if (block.contains("text")) into.items.push_back({who, says::text, block["text"]});
  else if (block.contains("image")) into.items.push_back(image(block["image"].at("source").at("bytes")));
  else if (block.contains("document")) into.items.push_back(document(block["document"].at("source").at("bytes"), ""));
  else if (block.contains("toolUse")) {
    const json& made = block["toolUse"];
    into.items.push_back(call(made.at("toolUseId"), made.at("name"), made.at("input").dump()));
  } else {
    const json& came = block.at("toolResult");
    into.items.push_back(result(came.at("toolUseId"), came.at("content").at(0).at("text")));
  }
}

dialogue read_converse_request(const json& request) {
  dialogue all;
  for (const json& each : list_of(request, "system")) all.items.push_back(system(each.at("text")));
  for (const json& message : request.at("messages"))
    for (const json& block : message.at("content"))
      read_converse_block(message.at("role") == "assistant" ? speaks_as::assistant : speaks_as::user, block, all);
  const json tools = request.value("toolConfig", json::object());
  for (const json& each : list_of(tools, "tools")) all.tools.push_back(each.at("toolSpec").at("name"));
  const json choice = tools.value("toolChoice", json::object());
  if (choice.contains("any")) all.forced = "any";
  if (choice.contains("tool")) all.forced = choice["tool"].at("name");
  if (request.contains("outputConfig"))
    all.schema = json::parse(
        request["outputConfig"].at("textFormat").at("structure").at("jsonSchema").at("schema").get<std::string>());
  const json config = request.value("inferenceConfig", json::object());
  all.stops = strings_of(config.value("stopSequences", json()));
  all.max_tokens = config.value("maxTokens", 0);
  return all;
}

}  // namespace

dialogue read_as_provider(wire_format format, const json& request) {
  switch (format) {
    case wire_format::openai_chat: return read_chat_request(request);
    case wire_format::openai_responses: return read_responses_request(request);
    case wire_format::anthropic_messages: return read_messages_request(request);
    case wire_format::gemini: return read_gemini_request(request);
    case wire_format::bedrock_converse: return read_converse_request(request);
    default: throw std::invalid_argument("no provider speaks this format");
  }
}

}  // namespace photofinish::proxy::pairs
