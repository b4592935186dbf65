// Finds the caller of a request by the request's keys. Refuses a caller that may not call the requested path.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

#include <span>
#include <variant>

namespace photofinish::gateway {

// Names the callers that may call a path. If the configuration contains access keys, each value except `anyone`
// requires a key.
enum class callers {
  anyone,
  key_holders,
  key_holders_and_admin_address,  // all callers with a key, and requests to the admin listener
  // All callers with a key, and requests to the admin listener, with two exceptions. If `open_metrics` is set, all
  // callers are allowed. If `metrics_for_admins` is set, an admin's key is required.
  metrics_readers,
};

struct admission {
  presented_keys keys;
  caller who;
};

std::variant<admission, api_error> admit(const client_call& call, std::span<const proxy::header_field> fields,
                                        callers allowed);

}  // namespace photofinish::gateway
