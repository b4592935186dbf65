// Requests about a response that its provider keeps: they go to the target that its id names, and to no other.
#pragma once

#include "gateway/http/response.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/requests/stored_response_target.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

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
