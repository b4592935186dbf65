// Requests about a response that its provider keeps: they go to the target that its id names, and to no other.
#pragma once

#include "gateway/http/response.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/requests/kept_target.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <variant>

namespace photofinish::gateway {

// The provider's own JSON, with this caller's ids in it. It ends when the client leaves. `worker` and `client` outlive
// it.
boost::asio::awaitable<std::variant<std::string, api_error>> ask_for_kept(services& worker, client_connection& client,
                                                                          kept_question question);

struct streamed_kept {
  std::optional<api_error> refused = {};  // nothing was written
  answer_end end = answer_end::complete;  // of what was
};

// The same as a stream of the provider's events, written to the client as they come.
boost::asio::awaitable<streamed_kept> stream_kept(services& worker, client_connection& client, kept_question question,
                                                  header_fields fields, response_style style);

}  // namespace photofinish::gateway
