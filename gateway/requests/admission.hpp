// Finds the caller of a request by the keys in the request. Refuses a caller that may not call the requested path.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

#include <span>
#include <variant>

namespace photofinish::gateway {

// Names the callers that may call a path. Each value except `anyone` requires an access key if the configuration has
// any.
enum class callers {
  anyone,
  key_holders,
  key_holders_and_admin_address,  // all callers with a key, and requests to the admin listener
  // The same callers as key_holders_and_admin_address, with two exceptions: `open_metrics` allows any caller, and
  // `metrics_for_admins` requires an admin's key.
  metrics_readers,
};

struct admission {
  presented_keys keys;
  caller who;
};

std::variant<admission, api_error> admit(const client_call& call, std::span<const proxy::header_field> fields,
                                        callers allowed);

}  // namespace photofinish::gateway
