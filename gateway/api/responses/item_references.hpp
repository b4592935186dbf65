// Replaces references in a request of Responses: it may name items of earlier answers by their ids. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// A quick check: false if there is certainly no reference.
bool may_refer_to_items(std::string_view body);

// Returns an item's JSON by its id.
using find_item = std::function<std::optional<std::string>(std::string_view id)>;

// Returns true if so many bytes may be allocated. Called before the allocation.
using claim_room = std::function<bool(std::size_t bytes)>;

// An error names the first reference whose item does not exist, or reports that the body would exceed `most_bytes`, or
// that there is no memory. A body that is not a JSON object stays as it is.
std::variant<std::string, api_error> with_items(std::string body, std::size_t most_bytes, const find_item& find,
                                                const claim_room& may_take);

// Returns a 404: no response with that id is kept for this caller.
api_error no_such_response(std::string_view id, std::string_view param);

}  // namespace photofinish::gateway
