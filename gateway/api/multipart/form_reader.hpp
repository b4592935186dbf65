// multipart/form-data as RFC 7578 has it, and no looser: what two readers understand differently is refused. [pure]
// Linear in the text, and bounded in parts and heads.
#pragma once

#include "gateway/api/api_error.hpp"
#include "proxy/json/form_fields.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

inline constexpr std::size_t max_form_parts = 1'000;

// The fields are spans of `text`, in its order. `single` are those that this gateway reads: text, and there once at
// most.
std::variant<proxy::form_fields, api_error> read_form_fields(std::string_view text, std::string_view content_type,
                                                             std::span<const std::string_view> single);

}  // namespace photofinish::gateway
