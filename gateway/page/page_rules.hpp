// Decides who may see the live page and the activity of all callers. [pure] Without access keys, only clients on this
// machine may see the page, unless the configuration allows others. If access keys are configured, the page needs a key
// with `admin: true`. The admin listener serves the page without a key.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/listen_address.hpp"

#include <optional>

namespace photofinish::gateway {

// True if a listener with this address serves the page to this client. An access key may still be required for the
// page's data.
bool serves_page(const config& settings, const client_request& request, const listen_address& at, listener_role role);

// True if the request comes from a browser. Other programs get JSON from the same path.
bool wants_page(const client_request& request);

// True if this caller may see the activity of other callers.
bool sees_all(const config& settings, const caller& who, listener_role role);

// Returns the error for a caller whose key is not an admin key.
api_error admin_key_required();

// Returns an error if the caller may not read the live page's data. Otherwise returns nothing.
std::optional<api_error> refuse_feed(const config& settings, const client_request& request, const caller& who,
                                     const listen_address& at, listener_role role);

// True if the page's own script sent the request. The script sends a header that pages of other sites cannot send.
bool is_pages_own(const client_request& request);

}  // namespace photofinish::gateway
