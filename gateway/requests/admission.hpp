// Finds the caller of a request by its keys, and refuses a caller that may not call its path.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

#include <span>
#include <variant>

namespace photofinish::gateway {

// The callers that may call a path. Each rule except the first requires an access key if the configuration has any.
enum class callers {
  anyone,
  key_holders,
  key_holders_and_admin_address,  // as above, but the admin listener's address needs no key
  metrics_readers,  // as above; with `open_metrics` no key is needed, with `metrics_for_admins` an admin's key
};

struct admission {
  presented_keys keys;
  caller who;
};

std::variant<admission, api_error> admit(const client_call& call, std::span<const proxy::header_field> fields,
                                        callers allowed);

}  // namespace photofinish::gateway
