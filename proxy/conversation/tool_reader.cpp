#include "proxy/conversation/tool_reader.hpp"

#include "proxy/conversation/object_members.hpp"

#include <algorithm>
#include <unordered_set>

namespace photofinish::proxy {

void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed) {
  std::unordered_set<std::string_view> names;
  json_walk walk(allowed);
  while (const auto each = walk.next_element()) {
    const object_members listed(*each);
    const object_members inner(listed["function"]);
    names.insert(listed["name"].empty() ? inner["name"] : listed["name"]);
  }
  std::erase_if(tools, [&names](const tool& each) { return !names.contains(each.name); });
}

wire_format format_called(std::string_view word) {
  if (word == "openai_chat") return wire_format::openai_chat;
  if (word == "openai_responses") return wire_format::openai_responses;
  if (word == "anthropic_messages") return wire_format::anthropic_messages;
  if (word == "gemini") return wire_format::gemini;
  return wire_format::none;
}

}  // namespace photofinish::proxy
