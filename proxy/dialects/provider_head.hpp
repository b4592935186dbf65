// Writes the head of a request to one provider: the address, the credential, and the client's headers that are
// forwarded to the provider. [pure] The head is the same for every dialect, except for the headers in `own`, which the
// provider's API requires.
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

// Returns the head of a request. `path` is appended to the base URL, and may contain a query string. Without a key, no
// credential is sent. If a header occurs several times, the first one in this order is sent: `own`, the key's header,
// the provider's configured headers, the headers forwarded from the client. Headers that frame the message, such as
// content-length, are omitted, because another class writes them.
request_head provider_head(const provider& target, const secret& key, std::string_view path,
                           std::span<const header_field> own,
                           std::span<const std::pair<std::string, std::string>> forwarded = {});

}  // namespace photofinish::proxy
