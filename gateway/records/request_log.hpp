// The one log line of a request: who asked for what, and how it ended; of a race each attempt. Never a prompt, an
// answer or a key.
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

// `attempts`: those of the race, in its order, then the skipped ones.
std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts,
                         log_form form = log_form::text);

// A request that came to no race: refused before, or answered from here.
struct plain_request {
  std::string_view id;                // empty: it did not come so far
  boost::asio::ip::tcp::endpoint peer;
  std::string_view forwarded_for = {};  // last_forwarded()
  metrics::endpoint endpoint = metrics::endpoint::other;
  std::string_view method = {};
  std::string_view path = {};         // without the query; loggable_path() where it may be anything
  std::string_view client = "_none";  // metrics' label, or whose sealed key or token it is
  std::string_view team = "_none";    // metrics' label
  std::string_view model = {};        // as the request names it; empty: its body was not read
  metrics::request_outcome outcome = metrics::request_outcome::ok;
  int status = 200;
  std::string_view code = {};         // of the error object
  std::string_view limit = {};        // that refused it, as "team search tpm"; empty: none
  std::optional<metrics::overload_reason> overload = {};
};

std::string plain_line(const plain_request& request, log_form form = log_form::text);

// Both keep to the worker's budget of lines, but for requests that raced.
void log_request(line_budget& lines, const request_record& record,
                 std::span<const metrics::attempt_observation> attempts);
void log_request(line_budget& lines, const plain_request& request);

// Of X-Forwarded-For what the nearest proxy added: its peer. What stands in front of it a caller may have made up.
std::string_view last_forwarded(std::span<const proxy::header_field> fields);

// A path as it may be logged: without what may be a key, or is one of these as a whole part between separators.
std::string loggable_path(std::string_view path, const access_key_list& keys);

}  // namespace photofinish::gateway
