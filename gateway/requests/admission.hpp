// Finds the caller of a request by its keys, and refuses a caller that may not call the requested path.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

#include <span>
#include <variant>

namespace photofinish::gateway {

// Determines who may call a path. Each rule except `anyone` requires an access key if the configuration has any.
enum class callers {
  anyone,
  key_holders,
  key_holders_and_admin_address,  // the admin listener's address needs no key
  // Like the rule before, but `open_metrics` allows any caller, and `metrics_for_admins` requires an admin's key.
  metrics_readers,
};

struct admission {
  presented_keys keys;
  caller who;
};

std::variant<admission, api_error> admit(const client_call& call, std::span<const proxy::header_field> fields,
                                        callers allowed);

}  // namespace photofinish::gateway
