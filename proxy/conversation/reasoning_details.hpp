// Reads and writes `reasoning_details`: a model's reasoning, its signature, and the name of the API that can read the
// signature. [pure] Clients of the chat API send `reasoning_details`, and this gateway also stores reasoning in this
// format.
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
  std::string_view signature = {};    // the signature of the text, or data that only its provider can read
  std::string_view readable_by = {};  // the name of the API that can read the signature (see delta::id)
  // The id of the call that directly follows the reasoning; empty if no call follows.
  std::string_view call_id = {};
  // The provider's id of the item, for data that only the provider can read (see delta::item).
  std::string_view item = {};
};

// Appends `each` as a JSON object to a list of comma-separated objects. The object gets the index `index`. Returns the
// next index.
std::size_t append_reasoning_detail(std::string& list, const reasoning_detail& each, std::size_t index);

// The maximum number of reasoning parts in one message. Answers have a few dozen parts. A client can write a part in
// thirty bytes, but the gateway needs about 300 bytes of memory for it. Without this limit, a large body could
// therefore take ten times its own size in memory.
constexpr std::size_t most_reasoning_parts = 1000;

struct placed_reasoning {
  block what;
  std::string_view call_id = {};  // the call's id as raw JSON; empty if the reasoning belongs to no call
};

// Reads a JSON list of reasoning details, whose texts a client may have split or joined. Ignores elements of unknown
// types. Texts that had to be joined are stored in `made`. Returns nullopt if there are more than most_reasoning_parts
// parts. All fragments of one text count as one part.
std::optional<std::vector<placed_reasoning>> read_reasoning_details(std::string_view list,
                                                                    std::deque<std::string>& made);

}  // namespace photofinish::proxy
