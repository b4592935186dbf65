// Maps a conversation's tool names to the flat, short names that some APIs need, and back. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Hashes a text to eight hex digits. The digits are the same in every process, so a tool's name stays the same in all
// turns and on all replicas.
std::string short_hash(std::string_view text);

// Returns a name of at most 64 letters, digits, _ and -, which begins with a letter or _. Namespace and name are joined
// by two underscores. A hash is appended if the name had to be changed. Both arguments are JSON strings. Equal
// arguments give equal names.
std::string flat_tool_name(std::string_view name_space, std::string_view name);

// The kind and name that the client gave to a tool. The provider calls the tool by a flat name.
struct restored_call {
  call_kind kind = call_kind::function;
  std::string name = {};
  std::string name_space = {};
};

// The tools whose own names or kinds must be restored in an answer. The provider knows them under flat names, or treats
// them as functions. The map is usually empty. The key is the flat name.
using restored_calls = std::map<std::string, restored_call>;

restored_calls restored_calls_of(const conversation& said);

// True if two tools of the conversation would get the same flat name.
bool has_colliding_names(const conversation& said);

}  // namespace photofinish::proxy
