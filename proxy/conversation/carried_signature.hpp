// A signature of reasoning on its way through a client whose API has one place for such: it keeps the name of the API
// that can read it, so that it is never sent to another. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// The reader of pieces from providers that speak chat. Such a piece is JSON, an object: an object of
// `reasoning_details` as it came, except its text, or one with the member `extra_content`. Only its maker gets it back.
inline constexpr std::string_view chat_member_reader = "openai_chat";

struct carried_signature {
  std::string readable_by;  // as delta::id says
  std::string text;         // byte for byte
  std::string item = {};    // of its provider's that it came in: see delta::item
};

std::string pack_signature(const carried_signature& carried);

// None where it is not ours: the API's own.
std::optional<carried_signature> unpack_signature(std::string_view packed);

}  // namespace photofinish::proxy
