// Requests about a response that its provider keeps: they go to the target that its id names, and to no other.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/requests/services.hpp"
#include "proxy/memory/memory_share.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <variant>

namespace photofinish::gateway {

struct kept_question {
  kept_action action = kept_action::read;
  std::string id;     // as the client calls it
  std::string query;  // raw
  std::shared_ptr<const config> settings;
  presented_keys keys;
  caller who;
  proxy::memory_share* memory = nullptr;  // for the answer; outlives it
};

// The provider's own JSON, with this caller's ids in it. It ends when the client leaves. `worker` and `client` outlive
// it.
boost::asio::awaitable<std::variant<std::string, api_error>> ask_for_kept(services& worker, client_connection& client,
                                                                          kept_question question);

// No response of that id is kept for this caller: 404.
api_error no_such_response(std::string_view id, std::string_view param);

}  // namespace photofinish::gateway
