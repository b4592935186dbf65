// Reads and writes `reasoning_details`: a model's reasoning, its signature, and the name of the API that can read the
// signature. [pure] Clients of chat send `reasoning_details`, and this gateway also stores reasoning in this format.
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// One part of a model's reasoning. Its members are plain texts, not JSON.
struct reasoning_detail {
  block_kind kind = block_kind::reasoning;  // `reasoning`, or `opaque` for reasoning without a text
  std::string_view text = {};
  std::string_view signature = {};    // signature of the text, or data that only its provider can read
  std::string_view readable_by = {};  // name of the API that can read the signature: see delta::id
  std::string_view call_id = {};      // id of the call directly after the reasoning; empty if no call follows
  std::string_view item = {};         // the item's id, for data that only its provider can read: see delta::item
};

// Appends `each` as a JSON object to a list whose objects are separated by commas. `index` is the index of the first
// object. Returns the next index.
std::size_t append_reasoning_detail(std::string& list, const reasoning_detail& each, std::size_t index);

// The limit of reasoning parts in one message. Answers have a few dozen parts. Each part takes about 300 bytes of
// memory while a message is read, but a client can write a part in thirty bytes. Without this limit, a body full of
// parts would take ten times its size before it reached the limit of blocks.
constexpr std::size_t most_reasoning_parts = 1000;

struct placed_reasoning {
  block what;
  std::string_view call_id = {};  // raw JSON of the call's id; empty if there is none
};

// Reads a JSON list of reasoning details. A client may have split or joined them. Elements of other types are ignored.
// New texts are appended to `made`. Returns nullopt if there are more than most_reasoning_parts parts. All fragments of
// one text count as one part.
std::optional<std::vector<placed_reasoning>> read_reasoning_details(std::string_view list,
                                                                    std::deque<std::string>& made);

}  // namespace photofinish::proxy
