// The members in which a provider that speaks chat signed its own reasoning: read from an assistant's blocks, so that
// its message holds them again. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <map>
#include <span>
#include <string>

namespace photofinish::proxy {

struct carried_members {
  std::string details;                           // the objects of `reasoning_details`, with commas between them
  std::string extra;                             // the message's `extra_content`; empty: none
  std::map<const block*, std::string> of_calls;  // each call's own `extra_content`
};

carried_members read_carried_members(std::span<const block> blocks);

}  // namespace photofinish::proxy
