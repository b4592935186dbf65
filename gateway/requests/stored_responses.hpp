// Requests about a response that its provider keeps: they go to the target that its id names, and to no other.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/answer_writer.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/attempts/flight_counts.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/memory/memory_share.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
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

// The provider's own JSON, with this caller's ids in it. It ends when the client leaves. `worker` and `client` outlive
// it.
boost::asio::awaitable<std::variant<std::string, api_error>> fetch_stored_response(worker_context& worker,
                                                                                   client_connection& client,
                                                                                   stored_response_query question);

// What a whole response says that it used; none where it says nothing, or not yet.
std::optional<proxy::token_usage> usage_in(std::string_view response);

// Charges what a response that went on behind its request really used, beyond what was estimated when it began; once,
// when it is first seen whole. `usage`: as its provider tells it. `text_bytes`: of the answer.
void charge_background(worker_context& worker, const stored_response_query& asked, const stored_response_target& at,
                       proxy::token_usage usage, std::uint64_t text_bytes);

// Likewise what a client has read of one whose stream it left; the rest is charged when it is seen whole.
void charge_background_so_far(worker_context& worker, const stored_response_query& asked,
                              const stored_response_target& at, std::uint64_t text_bytes);

struct stored_response_stream {
  std::optional<api_error> refused = {};  // nothing was written
  answer_end end = answer_end::complete;  // of what was
};

// The same as a stream of the provider's events, written to the client as they come.
boost::asio::awaitable<stored_response_stream> stream_stored_response(worker_context& worker, client_connection& client,
                                                                      stored_response_query question,
                                                                      header_fields fields, response_style style);

}  // namespace photofinish::gateway
