// Answers that need no race, but have a place among the requests that race: kept responses and counts of tokens.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

namespace photofinish::gateway {

// `call` and `request` outlive both.
boost::asio::awaitable<after_response> answer_stored_response(client_call& call, client_request& request,
                                                              routed_request wanted, presented_keys keys, caller who);

// Takes the body out of the request.
boost::asio::awaitable<after_response> answer_count(client_call& call, client_request& request, caller who);

}  // namespace photofinish::gateway
