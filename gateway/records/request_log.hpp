// Writes the log line of a request. The line describes the caller, the size and model of the request, its result, and
// each attempt of its race. It never contains a prompt, an answer or a key.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/log/line_budget.hpp"
#include "gateway/log/log_form.hpp"
#include "gateway/records/request_record.hpp"
#include "metrics/observations.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/http/http_head.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the log line of a request. `attempts` contains the race's attempts in the order in which they started, and
// then the skipped attempts.
std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts,
                         log_form form = log_form::text);

// A request that ran no race, because the gateway refused it or answered it without a provider.
struct plain_request {
  std::string_view id;                // the request's id; empty if it has no id yet
  boost::asio::ip::tcp::endpoint peer;
  std::string_view forwarded_for = {};  // the client's address as the nearest proxy reports it; see last_forwarded()
  metrics::endpoint endpoint = metrics::endpoint::other;
  std::string_view method = {};
  std::string_view path = {};         // the path without its query; see loggable_path()
  // The client's name in metrics, or the name of the owner of a sealed key or a token.
  std::string_view client = "_none";
  std::string_view team = "_none";    // the team's name in metrics
  std::string_view model = {};        // the model that the request names; empty if the body was not read yet
  metrics::request_outcome outcome = metrics::request_outcome::ok;
  int status = 200;
  std::string_view code = {};         // the code of the error that the client receives
  // The limit that refused the request, such as "team search tpm"; empty if no limit refused it.
  std::string_view limit = {};
  std::optional<metrics::overload_reason> overload = {};
};

std::string plain_line(const plain_request& request, log_form form = log_form::text);

// Writes the log line of a request. A request that ran no race is not logged if the worker has reached its limit of log
// lines.
void log_request(line_budget& lines, const request_record& record,
                 std::span<const metrics::attempt_observation> attempts);
void log_request(line_budget& lines, const plain_request& request);

// Returns the client's address as the nearest proxy reports it. This is the part of X-Forwarded-For that this proxy
// added. The client may have invented all earlier parts.
std::string_view last_forwarded(std::span<const proxy::header_field> fields);

// Returns a path for the log, without parts that may be keys. Also hides each part of the path that is an access key in
// `keys`.
std::string loggable_path(std::string_view path, const access_key_list& keys);

}  // namespace photofinish::gateway
