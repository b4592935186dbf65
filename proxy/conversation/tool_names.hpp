// How the tools of a conversation are called where names are flat and short, and back. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <map>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Eight hex digits: the same in every process, so that what is named by it keeps its name over turns and replicas.
std::string short_hash(std::string_view text);

// Letters, digits, _ and -, at most 64 of them, the first a letter or _: namespace and name joined by two underscores,
// with a hash at the end if the name had to change. Both as JSON strings; the same ones give the same name.
std::string flat_tool_name(std::string_view name_space, std::string_view name);

// What a call of that flat name is for the client.
struct restored_call {
  call_kind kind = call_kind::function;
  std::string name = {};
  std::string name_space = {};
};

// The tools and calls whose name at a provider is not the client's, or that are not functions: hardly ever any.
using restored_calls = std::map<std::string, restored_call>;

restored_calls restored_calls_of(const conversation& said);

// Whether two different tools would have one flat name.
bool has_colliding_names(const conversation& said);

}  // namespace photofinish::proxy
