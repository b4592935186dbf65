// Packs the signature of a model's reasoning and the name of the API that can read it into a single text, for clients
// whose API has only one field for a signature. Because of the name, the signature is never sent to another API. [pure]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// This name marks signatures of providers with a chat API. The signature is then a JSON object: an element of
// `reasoning_details` without its text, or an object with the member `extra_content`. The signature is sent only to the
// provider that made it.
inline constexpr std::string_view chat_member_reader = "openai_chat";

struct carried_signature {
  std::string readable_by;  // name of the API that can read the signature: see delta::id
  std::string text;         // the signature, copied byte for byte
  std::string item = {};    // id of the provider's item with this signature: see delta::item
};

std::string pack_signature(const carried_signature& carried);

// Unpacks a signature. Returns nullopt if this gateway did not pack it. Such a signature belongs
// to the client's own API.
std::optional<carried_signature> unpack_signature(std::string_view packed);

}  // namespace photofinish::proxy
