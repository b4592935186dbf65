#include "proxy/conversation/tool_reader.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/providers/parameters.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

struct known_step {
  std::string_view type;
  std::string_view hint;  // short enough for x-race-dropped
};

constexpr std::array<known_step, 7> hosted_steps{
    {{"server_tool_use", "content.server_tool_use"},
     {"web_search_tool_result", "content.web_search_tool_result"},
     {"web_fetch_tool_result", "content.web_fetch_tool_result"},
     {"tool_search_tool_result", "content.tool_search_tool_result"},
     {"code_execution_tool_result", "content.code_execution_tool_result"},
     {"bash_code_execution_tool_result", "content.code_execution_tool_result"},
     {"text_editor_code_execution_tool_result", "content.code_execution_tool_result"}}};

const known_step* hosted_step_of(std::string_view type) {
  for (const known_step& each : hosted_steps)
    if (each.type == type) return &each;
  return nullptr;
}

// A JSON string: what a program printed, or the part of a file that was viewed. Empty: nothing that can be read.
std::string code_output_of(const object_members& result) {
  std::string text;
  for (const std::string_view member : {"stdout", "stderr", "content"})
    if (const std::string_view part = result.word(member); !part.empty())
      text.append(text.empty() ? "" : "\\n").append(part);
  return text.empty() ? text : R"("\nOutput of the code:\n)" + text + R"(\n")";
}

// Members that readers read, or that a client repeats from an answer.
constexpr auto chat_part_members = std::to_array<std::string_view>(
    {"type", "text", "refusal", "image_url", "file", "input_audio", "cache_control", "annotations",
     "prompt_cache_breakpoint"});
constexpr auto chat_tool_members = std::to_array<std::string_view>({"type", "function", "custom", "cache_control"});
constexpr auto chat_function_members =
    std::to_array<std::string_view>({"name", "description", "parameters", "strict", "format", "cache_control"});
constexpr auto response_part_members = std::to_array<std::string_view>(
    {"type", "text", "refusal", "image_url", "file_id", "detail", "file_url", "file_data", "filename", "input_audio",
     "annotations", "logprobs", "prompt_cache_breakpoint"});
constexpr auto response_tool_members =
    std::to_array<std::string_view>({"type", "name", "description", "parameters", "strict", "format"});
constexpr auto message_block_members = std::to_array<std::string_view>(
    {"type", "text", "citations", "source", "title", "context", "cache_control", "tool_use_id", "content", "is_error"});
// Each of the last four has a name of its own in x-race-dropped.
constexpr auto message_tool_members = std::to_array<std::string_view>(
    {"type", "name", "description", "input_schema", "strict", "cache_control", "input_examples", "allowed_callers",
     "defer_loading", "eager_input_streaming"});

}  // namespace

void unknown_members::name(const object_members& object, std::span<const std::string_view> known,
                           std::string_view place, conversation_builder& builder) {
  constexpr std::size_t most_named = 8, longest_named = 32;
  for (const json_member& each : object.all()) {
    const auto is_it = [&each](std::string_view key) { return json_key_is(each.raw_key, key); };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    const named_member found{place, each.raw_key};
    const bool is_new = std::find(named_.begin(), named_.end(), found) == named_.end();
    if (!is_new || named_.size() == most_named || each.raw_key.size() > longest_named) continue;
    if (!is_meaningful(each.raw_key, each.value)) continue;
    named_.push_back(found);
    builder.hint(builder.keep(std::string(place) + std::string(each.raw_key)));
  }
}

void unknown_members::name_of_chat_part(const object_members& part, conversation_builder& builder) {
  name(part, chat_part_members, "messages[].content[].", builder);
}

void unknown_members::name_of_chat_tool(const object_members& offered, const object_members& function,
                                        conversation_builder& builder) {
  name(offered, chat_tool_members, "tools[].", builder);
  name(function, chat_function_members, "tools[].function.", builder);
}

void unknown_members::name_of_response_part(const object_members& part, conversation_builder& builder) {
  name(part, response_part_members, "input[].content[].", builder);
}

void unknown_members::name_of_response_tool(const object_members& offered, conversation_builder& builder) {
  name(offered, response_tool_members, "tools[].", builder);
}

void unknown_members::name_of_message_block(const object_members& content, conversation_builder& builder) {
  name(content, message_block_members, "messages[].content[].", builder);
}

void unknown_members::name_of_message_tool(const object_members& offered, conversation_builder& builder) {
  for (const std::string_view hint : {"input_examples", "allowed_callers"})
    if (!offered[hint].empty()) builder.hint(hint);
  for (const std::string_view hint : {"defer_loading", "eager_input_streaming"})
    if (offered[hint] == "true") builder.hint(hint);
  name(offered, message_tool_members, "tools[].", builder);
}

void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed) {
  std::set<std::string_view> names;
  json_walk walk(allowed);
  while (const auto each = walk.next_element()) {
    const object_members listed(*each);
    const object_members inner(listed[listed.word("type")]);  // {"type":"custom","custom":{..}}
    names.insert(listed["name"].empty() ? inner["name"] : listed["name"]);
  }
  std::erase_if(tools, [&names](const tool& each) { return !names.contains(each.name); });
}

wire_format format_called(std::string_view word) {
  if (word == "openai_chat") return wire_format::openai_chat;
  if (word == "openai_responses") return wire_format::openai_responses;
  if (word == "anthropic_messages") return wire_format::anthropic_messages;
  if (word == "gemini") return wire_format::gemini;
  if (word == "bedrock_converse") return wire_format::bedrock_converse;
  return wire_format::none;
}

void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into) {
  if (!json_is_string(text) || json_raw_string(text).empty()) return;
  into.signature = text;
  into.readable_by = own;
  if (json_raw_string(text).find('\\') != std::string_view::npos) return;
  const auto carried = unpack_signature(json_raw_string(text));
  if (!carried) return;
  // A client may have made it up: what is no text would make the request no JSON.
  const bool is_text = simdjson::validate_utf8(carried->text);
  into.signature = is_text ? builder.keep(json_quote(carried->text)) : std::string_view{};
  into.readable_by = is_text ? format_called(carried->readable_by) : wire_format::none;
  if (is_text && !carried->item.empty() && simdjson::validate_utf8(carried->item))
    into.id = builder.keep(json_quote(carried->item));
}

bool is_hosted_step(std::string_view type) { return hosted_step_of(type) != nullptr; }

bool add_hosted_step(const object_members& step, std::string_view raw, conversation_builder& builder) {
  const known_step& known = *hosted_step_of(step.word("type"));
  builder.hint(known.hint);
  if (!step["cache_control"].empty()) builder.hint("cache_control");
  const bool ran_code = known.type.ends_with("code_execution_tool_result");
  std::string output = ran_code ? code_output_of(object_members(step["content"])) : std::string();
  if (output.empty()) return builder.add({.kind = block_kind::hosted, .raw = raw});
  return builder.add({.text = builder.keep(std::move(output)), .raw = raw});
}

}  // namespace photofinish::proxy
