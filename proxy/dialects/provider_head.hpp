// Writes the head of a request to one provider: its address, its key, and the headers that pass. [pure] The head is the
// same for every dialect, except `own`, the headers that the API itself requires.
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

// `path` comes after the base URL, and may contain a query. Without a key, no credentials are sent. If a header has
// several values, the first one in this order is sent: `own`, the key's, the provider's, then headers forwarded from
// the client. The exchange writes the fields that frame a message, so no setting and no client may name them.
request_head provider_head(const provider& target, const secret& key, std::string_view path,
                           std::span<const header_field> own,
                           std::span<const std::pair<std::string, std::string>> forwarded = {});

}  // namespace photofinish::proxy
