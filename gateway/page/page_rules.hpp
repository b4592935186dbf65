// Decides who may see the live page and the activity of all callers. [pure] Without access keys, only clients on this
// machine may see the page, unless the configuration allows others. If access keys are configured, the page needs a key
// with `admin: true`. At the admin address the page needs no key.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/listen_address.hpp"

#include <optional>

namespace photofinish::gateway {

// True if a listener with this address serves the page to this client. The page's data may still require a key.
bool serves_page(const config& settings, const client_request& request, const listen_address& at, listener_role role);

// True if a browser requests the page. Programs that request the same path get JSON.
bool wants_page(const client_request& request);

// True if this caller may see the activity of other callers.
bool sees_all(const config& settings, const caller& who, listener_role role);

// Returns the error for a caller without an admin key.
api_error admin_key_required();

// Returns an error if the caller may not see the live page's feed, otherwise nothing.
std::optional<api_error> refuse_feed(const config& settings, const client_request& request, const caller& who,
                                     const listen_address& at, listener_role role);

// True for requests of the page's own script. The script sends a header that pages of other sites cannot send.
bool is_pages_own(const client_request& request);

}  // namespace photofinish::gateway
