// The turns of a conversation -> Gemini's systemInstruction and contents. [pure]
// The roles alternate, however the client's turns do. All results of a model's calls stand in the user's content right
// behind it, in the order of the calls, one for each.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <string_view>

namespace photofinish::proxy {

// What Gemini takes in place of a signature for a call that it did not make itself.
constexpr std::string_view unsigned_call = R"("skip_thought_signature_validator")";

// What a content has that says nothing: it may not be empty, and neither may a text.
constexpr std::string_view blank_part = R"({"text":" "})";

// Appends both members to the form's JSON; what has no place there is noted in it.
void write_gemini_contents(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
