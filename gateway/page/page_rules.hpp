// Who may see the live page, and what all callers do. [pure]
// Without access keys it is for people on this machine, unless the operator says otherwise; with them, for who has a
// key with `admin: true`. The admin address asks for none.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/listen_address.hpp"

#include <optional>

namespace photofinish::gateway {

// Whether the page is served to that request at all. What it shows may still ask for a key.
bool serves_page(const config& settings, const client_request& request, const listen_address& at, listener_role role);

// A person's browser asks for a page, a program for JSON.
bool wants_page(const client_request& request);

// Whether that caller may see what others do.
bool sees_all(const config& settings, const caller& who, listener_role role);

// To one who may not.
api_error admin_key_required();

// None where it may have the feed.
std::optional<api_error> refuse_feed(const config& settings, const client_request& request, const caller& who,
                                     const listen_address& at, listener_role role);

// The page's own requests say so, and no other site's page can.
bool is_pages_own(const client_request& request);

}  // namespace photofinish::gateway
