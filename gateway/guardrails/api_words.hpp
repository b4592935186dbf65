// What a guardrail need not be shown: words that the APIs define, ids, and data in base64. [pure]
// Everything else is shown. Texts are decoded: without quotes and escapes.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::gateway {

// A name of a member that is the APIs' own, and not the caller's.
bool is_api_name(std::string_view name);

// Whether the value of a member of that name says nothing of its own: "type": "text".
bool is_api_value(std::string_view name, std::string_view value);

// An id: a short text without spaces in a member for ids.
bool is_id(std::string_view name, std::string_view value);

// A data: URL of base64, wherever it is.
bool is_data_url(std::string_view value);

// Base64, also of the alphabet for URLs, and the parts of a carried signature.
bool is_base64(std::string_view value);

// A member whose long values may be base64.
bool is_data_name(std::string_view name);

// A picture, a sound or a compressed file is not: about half of its bytes are control characters or no UTF-8.
bool is_mostly_text(std::string_view bytes);

// The text in base64 or in a data: URL of it. Empty: it holds something else, for example a picture. `media_type` may
// be empty: then the bytes tell.
std::string text_in_base64(std::string_view value, std::string_view media_type = {});

}  // namespace photofinish::gateway
