// One chat request as the log tells it: its race, and who asked for what.
#pragma once

#include "gateway/records/race_account.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>

namespace photofinish::gateway {

struct request_record : race_account {
  boost::asio::ip::tcp::endpoint peer;
  std::string forwarded_for;  // last_forwarded()
  std::string model;          // as the request names it, cut
  std::string code;  // of the error that it was answered with
  std::string limit;  // that refused it, as "team search tpm"; empty: none
  std::optional<metrics::overload_reason> overload;
  std::string background_id;  // its provider's, of a response that goes on behind this; empty: it does not
};

}  // namespace photofinish::gateway
