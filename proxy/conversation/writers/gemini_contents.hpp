// Writes a conversation's turns as Gemini's systemInstruction and contents. [pure] Roles alternate, even if the
// client's turns do not. After an element with the model's calls, the user's next element has one result for each call,
// in the order of the calls.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <string_view>

namespace photofinish::proxy {

// This text replaces the signature of a call that another model made. Gemini accepts the text instead of a signature.
constexpr std::string_view unsigned_call = R"("skip_thought_signature_validator")";

// A placeholder for an element of `contents` without text. Gemini refuses elements without parts and
// parts with an empty text.
constexpr std::string_view blank_part = R"({"text":" "})";

// Appends systemInstruction and contents to the request in `form`. The names of parts that Gemini cannot express are
// also stored in `form`.
void write_gemini_contents(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
