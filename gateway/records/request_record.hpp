// Holds the facts about one request for an answer that its log line needs: its race, its caller and its content.
#pragma once

#include "gateway/records/race_account.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>

namespace photofinish::gateway {

struct request_record : race_account {
  boost::asio::ip::tcp::endpoint peer;
  std::string forwarded_for;  // the result of last_forwarded(): the address that the nearest proxy reports
  std::string model;          // the model that the request names, shortened
  std::string code;  // the code of the error that the client got
  std::string limit;  // the limit that refused the request, such as "team search tpm"; empty if none
  std::optional<metrics::overload_reason> overload;
  std::string background_id;  // the provider's id of a response that continues in the background; empty if none
};

}  // namespace photofinish::gateway
