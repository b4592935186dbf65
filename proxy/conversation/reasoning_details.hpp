// `reasoning_details`: a model's reasoning, its signature, and the name of the API that can read it. Clients of chat
// send this format, and this gateway stores it. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Holds plain texts, not JSON.
struct reasoning_detail {
  block_kind kind = block_kind::reasoning;  // reasoning, or opaque, which has no text
  std::string_view text = {};
  std::string_view signature = {};    // the text's signature, or data that only its provider can read
  std::string_view readable_by = {};  // name of the API that can read the signature: see delta::id
  std::string_view call_id = {};      // the call directly after it; empty: none
  std::string_view item = {};         // set for data that only its provider can read: see delta::item
};

// Appends an object to the list. Objects are separated by commas, and `index` is the number of the first. Returns the
// next index.
std::size_t append_reasoning_detail(std::string& list, const reasoning_detail& each, std::size_t index);

// Limit for one message. Answers have a few dozen parts. Each part takes about 300 bytes while a message is read, but a
// client can write one in thirty bytes. Without this limit, a body full of them would take ten times its size before it
// reached the limit of blocks.
constexpr std::size_t most_reasoning_parts = 1000;

struct placed_reasoning {
  block what;
  std::string_view call_id = {};  // raw JSON, like `id`; empty: none
};

// Reads a JSON list of details, however a client split or joined them. Ignores other elements. New texts are appended
// to `made`. Returns nothing if there are more than most_reasoning_parts, where the fragments of one text count once.
std::optional<std::vector<placed_reasoning>> read_reasoning_details(std::string_view list,
                                                                    std::deque<std::string>& made);

}  // namespace photofinish::proxy
