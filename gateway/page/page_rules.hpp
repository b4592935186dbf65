// Decides who may see the live page and the activity of all callers. [pure]
// Without access keys the page is for people on this machine, unless the operator says otherwise. With access keys it
// needs a key with `admin: true`. The admin address needs no key.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/listen_address.hpp"

#include <optional>

namespace photofinish::gateway {

// True if the page is served to that request. Its data may still require a key.
bool serves_page(const config& settings, const client_request& request, const listen_address& at, listener_role role);

// True if a browser requests a page; a program requests JSON.
bool wants_page(const client_request& request);

// True if that caller may see the activity of other callers.
bool sees_all(const config& settings, const caller& who, listener_role role);

// The error for a caller that may not.
api_error admin_key_required();

// Empty if the caller may have the feed.
std::optional<api_error> refuse_feed(const config& settings, const client_request& request, const caller& who,
                                     const listen_address& at, listener_role role);

// True for the page's own requests, which carry a mark that no other site's page can send.
bool is_pages_own(const client_request& request);

}  // namespace photofinish::gateway
