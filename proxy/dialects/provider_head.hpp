// The head of a request to one provider: where it goes, whose key it shows, which headers pass. [pure]
// The same for every dialect: only `own` is what an API itself asks for.
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

// `path` is behind the base URL, and may hold a query. Without a key no credentials are sent. Where a header has
// several values, the first counts: of `own`, then the key's, the provider's, those forwarded from the client. The
// fields that frame a message are the exchange's: nothing configured or forwarded may name them.
request_head provider_head(const provider& target, const secret& key, std::string_view path,
                           std::span<const header_field> own,
                           std::span<const std::pair<std::string, std::string>> forwarded = {});

}  // namespace photofinish::proxy
