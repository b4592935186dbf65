// `reasoning_details`: what a model thought, its signature, and the name of who can read it, as clients of chat carry
// it and as this gateway keeps it. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Plain texts, not JSON.
struct reasoning_detail {
  block_kind kind = block_kind::reasoning;  // or opaque, which has no text
  std::string_view text = {};
  std::string_view signature = {};    // of the text, or what only its provider can read
  std::string_view readable_by = {};  // the signature: the name of an API, as delta::id has it
  std::string_view call_id = {};      // of the call that it stands directly before; empty: none
  std::string_view item = {};         // of what only its provider can read: see delta::item
};

// Appends it to a list's objects, with commas between them; `index` is the first one's. Gives the next index.
std::size_t append_reasoning_detail(std::string& list, const reasoning_detail& each, std::size_t index);

// Of one message. Answers have a few dozens; each takes some 300 bytes while a message is read, and a client may write
// one in thirty: a body of nothing else would take ten times its size before a request's limit of blocks is reached.
constexpr std::size_t most_reasoning_parts = 1000;

struct placed_reasoning {
  block what;
  std::string_view call_id = {};  // JSON, as `id` has it; empty: none
};

// A JSON list of them, however a client has cut or joined it. What is none is passed over. Texts that had to be made go
// into `made`. None: there are more than most_reasoning_parts, fragments of one counted once.
std::optional<std::vector<placed_reasoning>> read_reasoning_details(std::string_view list,
                                                                    std::deque<std::string>& made);

}  // namespace photofinish::proxy
