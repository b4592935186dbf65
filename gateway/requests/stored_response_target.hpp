// A request about a response that its provider keeps: which target it goes to, and what is asked of that target.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/answer_writer.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/attempts/flight_counts.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/memory/memory_share.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// Until a target's answer begins, or is there: nothing is computed, it is only looked up.
inline constexpr std::chrono::seconds stored_response_patience{60};

struct stored_response_query {
  stored_response_action action = stored_response_action::read;
  std::string id;                   // as the client calls it
  const client_request& request;    // outlives it
  std::shared_ptr<const config> settings;
  std::shared_ptr<const limit_table> limits;  // of those
  presented_keys keys;
  caller who;
  proxy::memory_share* memory = nullptr;  // for the answer; outlives it
};

// Whether the answer is wanted as a stream of events.
bool asks_for_stream(const stored_response_query& asked);

struct stored_response_target {
  const proxy::provider* provider;  // of the question's configuration
  target_name target;
  chosen_key key;
  std::string id;      // as the provider calls it
  flight_place place;  // among what runs there
};

// Where the response is kept; an error where it is another caller's, or where as much runs at that provider as may.
std::variant<stored_response_target, api_error> find_stored_response(worker_context& worker,
                                                                     const stored_response_query& asked);

proxy::request_head stored_response_head(const stored_response_query& asked, const stored_response_target& at,
                                         std::string_view accept);

// So that the answer has the ids that this caller may use.
answer_identity stored_response_identity(const worker_context& worker, const stored_response_query& asked,
                                         const stored_response_target& at);

// What went wrong there, without keys.
api_error explain_stored_response(worker_context& worker, const stored_response_query& asked,
                                  const stored_response_target& at, proxy::failure why);

}  // namespace photofinish::gateway
