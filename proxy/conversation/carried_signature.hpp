// Packs the signature of a model's reasoning together with the name of the API that can read it. [pure] Clients whose
// API has only one field for a signature get the packed text. The name prevents the gateway from sending the signature
// to another API.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// This name marks signatures that came from a provider through the chat API. Such a signature is stored as a JSON
// object: an element of `reasoning_details` without its text, or an object with the member `extra_content`. Only the
// provider that made the signature gets it back.
inline constexpr std::string_view chat_member_reader = "openai_chat";

struct carried_signature {
  std::string readable_by;  // the name of the API that can read the signature (see delta::id)
  std::string text;         // the signature, copied byte for byte
  std::string item = {};    // the provider's id for the item with this signature (see delta::item)
};

std::string pack_signature(const carried_signature& carried);

// Unpacks a signature that pack_signature() packed. Returns nullopt for any other signature, because such a signature
// comes from a provider of the client's own API.
std::optional<carried_signature> unpack_signature(std::string_view packed);

}  // namespace photofinish::proxy
