// Maps a conversation's tool names to the flat, short names that some APIs need, and back. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Hashes a text to eight hex digits. They are the same in every process, so a tool's name stays the same in all turns
// and on all replicas.
std::string short_hash(std::string_view text);

// Returns a name of at most 64 letters, digits, _ and -, which begins with a letter or _. Namespace and name are
// joined by two underscores, and a hash is appended if the name had to change. Both inputs are JSON strings. Equal
// inputs give equal names.
std::string flat_tool_name(std::string_view name_space, std::string_view name);

// The client's kind and name of a tool that the provider calls by a flat name.
struct restored_call {
  call_kind kind = call_kind::function;
  std::string name = {};
  std::string name_space = {};
};

// Tools and calls whose name at the provider differs from the client's name, or that are not functions. Usually empty.
using restored_calls = std::map<std::string, restored_call>;

restored_calls restored_calls_of(const conversation& said);

// True if two tools of the conversation would get the same flat name.
bool has_colliding_names(const conversation& said);

}  // namespace photofinish::proxy
