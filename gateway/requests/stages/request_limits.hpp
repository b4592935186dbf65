// A request's own limits: taken, refused, counted, and shown in its answer.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "metrics/outcomes.hpp"

#include <boost/asio/awaitable.hpp>

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
  const parsed_request* asked = nullptr;  // null: it asks for what was charged when it began
  const race_setup* setup = nullptr;  // its targets, whose prices tell what it may cost; null: it costs nothing
  std::shared_ptr<const config> settings = nullptr;  // those of the prices
};

// What is limited of a request that finds nothing leased any more: it waits for the store.
struct awaited_limits {
  limit_claims claims;
  wanted_tokens wanted;
};

using taken_limits = std::variant<limit_hold, api_error, awaited_limits>;

// The headers that tell of limits are added, unless the request waits.
taken_limits take_limits(worker_context& worker, const limited_request& request, header_fields& fields);

// Waits for the store, for its timeout at most. The result is a hold or an error. `request` and `fields` outlive it.
boost::asio::awaitable<taken_limits> await_limits(worker_context& worker, const limited_request& request,
                                                  awaited_limits awaited, header_fields& fields);

// Bounds a request that uses no provider: 429 if such requests alone come faster than its caller's rpm_limit. Any other
// request passes.
std::optional<api_error> take_side_request(worker_context& worker, const limit_table& table, const caller& who,
                                           endpoint to);

// Of a request that takes nothing: a list of models.
void show_limits(const worker_context& worker, const limit_table& table, const caller& who, header_fields& fields);

// A key that is blocked or has expired: 401.
std::optional<api_error> refuse_closed_key(worker_context& worker, const caller& who);

}  // namespace photofinish::gateway
