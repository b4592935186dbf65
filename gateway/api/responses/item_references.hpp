// Replaces references in a request of the Responses API by the items that they refer to. A reference contains the id of
// an item from an earlier answer. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// Checks quickly whether the body may have references. False means that the body certainly has no references.
bool may_refer_to_items(std::string_view body);

// Looks up the JSON of an answer's item by the item's id.
using find_item = std::function<std::optional<std::string>(std::string_view id)>;

// Returns true if `bytes` bytes may be allocated. The function is called before the allocation.
using claim_room = std::function<bool(std::size_t bytes)>;

// Inserts the referenced items into the body. Returns an error if the body would exceed `most_bytes`, if memory is
// short, or if an item does not exist. The error then names the first missing item. A body that is not a JSON object
// stays unchanged.
std::variant<std::string, api_error> with_items(std::string body, std::size_t most_bytes, const find_item& find,
                                                const claim_room& may_take);

// Returns a 404 error: the gateway has no response with this id for this caller.
api_error no_such_response(std::string_view id, std::string_view param);

}  // namespace photofinish::gateway
