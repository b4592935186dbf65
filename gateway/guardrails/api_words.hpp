// Recognizes the parts of a request that guardrails do not need: words that the APIs define, ids, and binary data in
// base64. [pure] Guardrails get all other parts. The functions expect decoded texts, without quotes and escapes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// True for a member name that the APIs define. All other names come from the caller.
bool is_api_name(std::string_view name);

// True if the values of a member with that name are words that the APIs define, as in "type": "text".
bool is_api_value(std::string_view name, std::string_view value);

// True for an id: a short text without spaces in a member that contains ids.
bool is_id(std::string_view name, std::string_view value);

// True for a data: URL that contains base64, in any member.
bool is_data_url(std::string_view value);

// True for base64, for base64 with the URL alphabet, and for the parts of a signature that clients send back.
bool is_base64(std::string_view value);

// True for a member that may contain base64 if its value is long.
bool is_data_name(std::string_view name);

// False for images, sound and compressed files, because about half of their bytes are control characters or invalid
// UTF-8.
bool is_mostly_text(std::string_view bytes);

// Returns the text in base64 or in a base64 data: URL. Returns an empty text if the data is not text, for example an
// image. If `media_type` is empty, the data itself is examined.
std::string text_in_base64(std::string_view value, std::string_view media_type = {});

}  // namespace photofinish::gateway
