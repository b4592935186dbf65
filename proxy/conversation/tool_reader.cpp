#include "proxy/conversation/tool_reader.hpp"

#include "proxy/conversation/carried_signature.hpp"

#include <simdjson.h>

#include <array>
#include <set>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

struct known_step {
  std::string_view type;
  std::string_view hint;  // the name of the omitted part, short enough for the header x-race-dropped
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

// Returns a JSON string with the output of a program, or with the part of a file that a tool displayed. The result is
// empty if there is no readable text.
std::string code_output_of(const object_members& result) {
  std::string text;
  for (const std::string_view member : {"stdout", "stderr", "content"})
    if (const std::string_view part = result.word(member); !part.empty())
      text.append(text.empty() ? "" : "\\n").append(part);
  return text.empty() ? text : R"("\nOutput of the code:\n)" + text + R"(\n")";
}

}  // namespace

void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed) {
  std::set<std::string_view> names;
  for (const std::string_view each : json_elements(allowed)) {
    const object_members listed(each);
    const object_members inner(listed[listed.word("type")]);  // a nested tool: {"type":"custom","custom":{..}}
    names.insert(listed["name"].empty() ? inner["name"] : listed["name"]);
  }
  std::erase_if(tools, [&names](const tool& each) { return !names.contains(each.name); });
}

void hint_at_lost_parts(const object_members& offered, conversation_builder& builder) {
  for (const std::string_view hint : {"input_examples", "allowed_callers"})
    if (!offered[hint].empty()) builder.hint(hint);
  for (const std::string_view hint : {"defer_loading", "eager_input_streaming"})
    if (offered[hint] == "true") builder.hint(hint);
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
  // The client may have invented the signature. A signature that is not valid UTF-8 would make the translated request
  // invalid JSON.
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
