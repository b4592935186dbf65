// Writes the head of a request to one provider: the address, the credential, and the client's headers that are sent
// to the provider. [pure] The head is the same for every dialect, except for the headers `own`, which the
// provider's API itself requires.
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/providers/provider.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

// Returns the head of a request. `path` comes after the base URL, and may contain a query. Without a key, no credential
// is sent. If a header occurs several times, the first one in this order is sent: `own`, the key's header, the
// provider's configured headers, then headers forwarded from the client. Headers that frame the message, such as
// content-length, are left out, because another class writes them.
request_head provider_head(const provider& target, const secret& key, std::string_view path,
                           std::span<const header_field> own,
                           std::span<const std::pair<std::string, std::string>> forwarded = {});

}  // namespace photofinish::proxy
