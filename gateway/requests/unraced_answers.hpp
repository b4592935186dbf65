// Answers requests that need no race but count as racing requests: requests for stored responses and for token counts.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"

namespace photofinish::gateway {

// `call` and `request` must outlive answer_stored_response() and answer_count().
boost::asio::awaitable<after_response> answer_stored_response(client_call& call, client_request& request,
                                                              routed_request wanted, presented_keys keys, caller who);

// Answers a request for a token count. Takes the body out of the request.
boost::asio::awaitable<after_response> answer_count(client_call& call, client_request& request, caller who);

}  // namespace photofinish::gateway
