// Packs a signature of reasoning into a client's API that has only one field for it. The packed text names the API that
// can read the signature, so it is never sent to another API. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// The reader's name for reasoning of providers that speak chat. The signature is then a JSON object: an element of
// `reasoning_details` without its text, or an object with the member `extra_content`. Only the provider that made it
// gets it back.
inline constexpr std::string_view chat_member_reader = "openai_chat";

struct carried_signature {
  std::string readable_by;  // see delta::id
  std::string text;         // copied byte for byte
  std::string item = {};    // the provider's item that contained it: see delta::item
};

std::string pack_signature(const carried_signature& carried);

// Returns nothing if this gateway did not pack the signature: then it belongs to the client's own API.
std::optional<carried_signature> unpack_signature(std::string_view packed);

}  // namespace photofinish::proxy
