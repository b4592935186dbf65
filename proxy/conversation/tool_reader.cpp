#include "proxy/conversation/tool_reader.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/object_members.hpp"

#include <simdjson.h>

#include <algorithm>
#include <set>

namespace photofinish::proxy {

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

}  // namespace photofinish::proxy
