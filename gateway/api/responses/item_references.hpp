// A request of Responses may refer to items of earlier answers by their ids: they take the references' places. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// A quick look: false where there is certainly no reference.
bool may_refer_to_items(std::string_view body);

// An item's JSON, by its id.
using find_item = std::function<std::optional<std::string>(std::string_view id)>;

// Whether so many bytes may be taken: asked before they are.
using claim_room = std::function<bool(std::size_t bytes)>;

// An error names the first reference whose item is not there, or says that the body would have more than `most_bytes`,
// or that there is no room. A body that is no JSON object stays as it is.
std::variant<std::string, api_error> with_items(std::string body, std::size_t most_bytes, const find_item& find,
                                                const claim_room& may_take);

// No response of that id is kept for this caller: 404.
api_error no_such_response(std::string_view id, std::string_view param);

}  // namespace photofinish::gateway
