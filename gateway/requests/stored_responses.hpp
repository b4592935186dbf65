// Handles requests about a response that its provider stores. The id of the response names the only target that gets
// the request.
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

// The time limit for the target's answer, or for the start of a streamed answer. The limit is short, because the target
// only looks up the response.
inline constexpr std::chrono::seconds stored_response_patience{60};

struct stored_response_query {
  stored_response_action action = stored_response_action::read;
  std::string id;                   // the response's id as the client knows it, which may differ from the provider's id
  const client_request& request;    // the client's request, which must outlive this object
  std::shared_ptr<const config> settings;
  std::shared_ptr<const limit_table> limits;  // the limits from the configuration `settings`
  presented_keys keys;
  caller who;
  proxy::memory_share* memory = nullptr;  // the memory for the answer, which must outlive this object
};

// Returns true if the client asks for the answer as a stream of events.
bool asks_for_stream(const stored_response_query& asked);

struct stored_response_target {
  const proxy::provider* provider;  // the provider, owned by the request's configuration
  target_name target;
  chosen_key key;
  std::string id;      // the response's id as the provider knows it
  flight_place place;  // counts the request among the attempts that run at the target
};

// Finds the target that stores the response. Returns an error if the response belongs to another caller, or if the
// provider's limit of concurrent attempts is reached.
std::variant<stored_response_target, api_error> find_stored_response(worker_context& worker,
                                                                     const stored_response_query& asked);

proxy::request_head stored_response_head(const stored_response_query& asked, const stored_response_target& at,
                                         std::string_view accept);

// Replaces the ids in a stored response by ids that this caller may use.
answer_identity stored_response_identity(const worker_context& worker, const stored_response_query& asked,
                                         const stored_response_target& at);

// Describes an error that the target has returned. API keys are removed from the description.
api_error explain_stored_response(worker_context& worker, const stored_response_query& asked,
                                  const stored_response_target& at, proxy::failure why);

// Returns the provider's own JSON of the response, with ids that this caller may use. The request to the provider ends
// if the client leaves. `worker` and `client` must outlive this request.
boost::asio::awaitable<std::variant<std::string, api_error>> fetch_stored_response(worker_context& worker,
                                                                                   client_connection& client,
                                                                                   stored_response_query question);

// Returns the usage that a complete response reports. Returns nothing if the response reports no usage, or is not
// complete yet.
std::optional<proxy::token_usage> usage_in(std::string_view response);

// Charges the usage of a background response beyond the estimate that was charged when the response began. The gateway
// does this only once, when it first sees the complete response. `usage` is the usage that the provider reports.
// `text_bytes` is the length of the response's text.
void charge_background(worker_context& worker, const stored_response_query& asked, const stored_response_target& at,
                       proxy::token_usage usage, std::uint64_t text_bytes);

// Charges the part of a streamed background response that the client read before it left. The rest is charged when the
// gateway first sees the complete response.
void charge_background_so_far(worker_context& worker, const stored_response_query& asked,
                              const stored_response_target& at, std::uint64_t text_bytes);

struct stored_response_stream {
  std::optional<api_error> refused = {};  // the error; empty if any part of the stream was written
  answer_end end = answer_end::complete;  // shows whether the written answer is complete
};

// Writes the response to the client as a stream of the provider's events, as the events arrive.
boost::asio::awaitable<stored_response_stream> stream_stored_response(worker_context& worker, client_connection& client,
                                                                      stored_response_query question,
                                                                      header_fields fields, response_style style);

}  // namespace photofinish::gateway
