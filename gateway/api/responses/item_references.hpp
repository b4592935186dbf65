// Replaces references in a Responses request: the request may refer to items of earlier answers by their ids. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// A quick check. False means that the body certainly has no reference.
bool may_refer_to_items(std::string_view body);

// Looks up an item's JSON by the item's id.
using find_item = std::function<std::optional<std::string>(std::string_view id)>;

// Returns true if this number of bytes may be allocated. Called before the allocation.
using claim_room = std::function<bool(std::size_t bytes)>;

// Inserts the referenced items into the body. An error names the first item that does not exist, or reports that the
// body would exceed `most_bytes`, or that memory is short. A body that is not a JSON object stays unchanged.
std::variant<std::string, api_error> with_items(std::string body, std::size_t most_bytes, const find_item& find,
                                                const claim_room& may_take);

// Returns a 404 error: no response with that id is kept for this caller.
api_error no_such_response(std::string_view id, std::string_view param);

}  // namespace photofinish::gateway
