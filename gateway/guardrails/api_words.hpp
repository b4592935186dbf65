// Recognizes the parts of a request that a guardrail does not need to see: words that the APIs define, ids, and data in
// base64. [pure] Guardrails see everything else. The texts here are decoded: they have no quotes and escapes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// True for a member name that the APIs define. Other names come from the caller.
bool is_api_name(std::string_view name);

// True if the value of a member with that name is a word of the APIs, as in "type": "text".
bool is_api_value(std::string_view name, std::string_view value);

// True for an id: a short text without spaces in a member that holds ids.
bool is_id(std::string_view name, std::string_view value);

// True for a data: URL in base64, in any member.
bool is_data_url(std::string_view value);

// True for base64, for base64 with the alphabet for URLs, and for the parts of a signature that clients return.
bool is_base64(std::string_view value);

// True for a member whose long values may be base64.
bool is_data_name(std::string_view name);

// False for an image, a sound or a compressed file, because about half of its bytes are control
// characters or not UTF-8.
bool is_mostly_text(std::string_view bytes);

// Returns the text in base64 or in a base64 data: URL. Returns an empty text if the data are something else, such as an
// image. If `media_type` is empty, the bytes decide.
std::string text_in_base64(std::string_view value, std::string_view media_type = {});

}  // namespace photofinish::gateway
