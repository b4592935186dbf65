// The one log line of a request: its caller, its content, how it ended, and each attempt of its race. It never contains
// a prompt, an answer or a key.
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

// `attempts`: the attempts of the race, in its order, then the skipped ones.
std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts,
                         log_form form = log_form::text);

// A request that ran no race: refused earlier, or answered by the gateway itself.
struct plain_request {
  std::string_view id;                // empty if the request has no id yet
  boost::asio::ip::tcp::endpoint peer;
  std::string_view forwarded_for = {};  // the result of last_forwarded()
  metrics::endpoint endpoint = metrics::endpoint::other;
  std::string_view method = {};
  std::string_view path = {};         // the path without its query; loggable_path() if it may contain a key
  std::string_view client = "_none";  // the label in metrics, or the owner of the sealed key or token
  std::string_view team = "_none";    // the label in metrics
  std::string_view model = {};        // the requested model; empty: the body was not read
  metrics::request_outcome outcome = metrics::request_outcome::ok;
  int status = 200;
  std::string_view code = {};         // the code of the error object
  std::string_view limit = {};        // the limit that refused it, such as "team search tpm"; empty: none
  std::optional<metrics::overload_reason> overload = {};
};

std::string plain_line(const plain_request& request, log_form form = log_form::text);

// Both functions respect the worker's limit on lines, except for requests that raced.
void log_request(line_budget& lines, const request_record& record,
                 std::span<const metrics::attempt_observation> attempts);
void log_request(line_budget& lines, const plain_request& request);

// The part of X-Forwarded-For that the nearest proxy added: its peer. A caller may have invented the part before it.
std::string_view last_forwarded(std::span<const proxy::header_field> fields);

// A path for the log, without parts that may be keys. A part between separators that equals one of `keys` is removed.
std::string loggable_path(std::string_view path, const access_key_list& keys);

}  // namespace photofinish::gateway
