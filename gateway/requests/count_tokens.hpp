// Answers a request for a count of tokens: no provider is asked, and nothing is raced.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/requests/worker/worker_context.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <variant>

namespace photofinish::gateway {

// The answer's JSON. What is long is counted on the thread beside the workers. The model must be one that the caller
// may name, as for the request whose tokens are counted; `asked_model` is set to it once it is read.
boost::asio::awaitable<std::variant<std::string, api_error>> count_tokens(worker_context& worker,
                                                                          std::shared_ptr<const config> settings,
                                                                          std::string body, caller who,
                                                                          std::string& asked_model);

}  // namespace photofinish::gateway
