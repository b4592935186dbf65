// Charges a request to its limits, and counts and refuses a request that exceeds a limit. Reports the limits in the
// answer's headers.
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

// A caller and its request. The limit table `table` and the caller `who` must belong to the same configuration.
struct limited_request {
  const std::shared_ptr<const limit_table>& table;
  caller who;
  std::string_view route = {};
  metrics::endpoint called = metrics::endpoint::other;
  // The parsed request; null if the request is for a response that was charged before.
  const parsed_request* asked = nullptr;
  // The settings of the request's race. The prices of its targets determine the largest possible cost of the request.
  // Null if the request costs nothing.
  const race_setup* setup = nullptr;
  std::shared_ptr<const config> settings = nullptr;  // the configuration that contains the prices
};

// The accounts and the amounts to charge for a request that must wait until the store leases more quota to this
// gateway.
struct awaited_limits {
  limit_claims claims;
  wanted_tokens wanted;
};

using taken_limits = std::variant<limit_hold, api_error, awaited_limits>;

// Charges a request to its limits. Adds the headers about limits, unless the request must wait.
taken_limits take_limits(worker_context& worker, const limited_request& request, header_fields& fields);

// Waits for the store, at most for the configured timeout. Returns the charged limits or an error. `request` and
// `fields` must outlive the wait.
boost::asio::awaitable<taken_limits> await_limits(worker_context& worker, const limited_request& request,
                                                  awaited_limits awaited, header_fields& fields);

// Limits requests that use no provider, such as requests for pages. Returns error 429 if the number of these requests
// exceeds the caller's rpm_limit. Never refuses a request that uses a provider.
std::optional<api_error> take_side_request(worker_context& worker, const limit_table& table, const caller& who,
                                           endpoint to);

// Adds the headers about limits to the answer of a request that is not charged, such as a request for the list of
// models.
void show_limits(const worker_context& worker, const limit_table& table, const caller& who, header_fields& fields);

// Returns error 401 if the caller's key is blocked or has expired.
std::optional<api_error> refuse_closed_key(worker_context& worker, const caller& who);

}  // namespace photofinish::gateway
