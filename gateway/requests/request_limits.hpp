// A request's own limits: taken, refused, counted, and shown in its answer.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/ask.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/requests/services.hpp"
#include "metrics/outcomes.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// Who asks, and for what. `table` is of the configuration that `who` is of.
struct limited_request {
  const std::shared_ptr<const limit_table>& table;
  caller who;
  std::string_view route = {};
  metrics::endpoint called = metrics::endpoint::other;
  const ask* asked = nullptr;  // null: it asks for what was charged when it began
};

// The headers that tell of limits are added either way.
std::variant<limit_hold, api_error> take_limits(services& worker, const limited_request& request,
                                                header_fields& fields);

// Of a request that takes nothing: a list of models.
void show_limits(const services& worker, const limit_table& table, const caller& who, header_fields& fields);

// A key that is blocked or has expired: 401.
std::optional<api_error> refuse_closed_key(services& worker, const caller& who);

}  // namespace photofinish::gateway
