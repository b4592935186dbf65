// Holds the facts about one request that its log line needs: its race, its caller, its size and its model.
#pragma once

#include "gateway/records/race_account.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>

namespace photofinish::gateway {

struct request_record : race_account {
  boost::asio::ip::tcp::endpoint peer;
  std::string forwarded_for;  // the client's address as the nearest proxy reports it; see last_forwarded()
  std::string model;          // the shortened name of the model that the request names
  std::string code;  // the code of the error that the client received
  // The limit that refused the request, such as "team search tpm"; empty if no limit refused it.
  std::string limit;
  std::optional<metrics::overload_reason> overload;
  std::string background_id;  // the provider's id of a response that runs in the background; empty if there is none
};

}  // namespace photofinish::gateway
