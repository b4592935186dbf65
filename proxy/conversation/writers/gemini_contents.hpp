// Writes a conversation's turns as Gemini's systemInstruction and contents. [pure] Roles alternate, even if
// the client's turns do not. The user's content directly after a model's calls has one result for each call,
// in the order of the calls.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <string_view>

namespace photofinish::proxy {

// Gemini accepts this text instead of a signature for a call that another model made.
constexpr std::string_view unsigned_call = R"("skip_thought_signature_validator")";

// A placeholder for contents without text, because Gemini refuses empty contents and empty texts.
constexpr std::string_view blank_part = R"({"text":" "})";

// Appends systemInstruction and contents to the form's JSON, and notes in the form the parts that
// Gemini cannot express.
void write_gemini_contents(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
