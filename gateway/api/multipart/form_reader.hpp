// Reads multipart/form-data strictly according to RFC 7578, and rejects forms that two readers may understand
// differently. [pure] The time is linear in the length of the form. The number of parts and the size of their heads are
// limited.
#pragma once

#include "gateway/api/api_error.hpp"
#include "proxy/json/form_fields.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

inline constexpr std::size_t max_form_parts = 1'000;

// Reads the form's fields as spans of `text`, in the order of the form. `single` lists the fields that this gateway
// reads: each of them must be a text, and may occur only once.
std::variant<proxy::form_fields, api_error> read_form_fields(std::string_view text, std::string_view content_type,
                                                             std::span<const std::string_view> single);

}  // namespace photofinish::gateway
