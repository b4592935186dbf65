// What can go wrong between us and one provider, as a value. [pure]
// The kinds are the reasons that metrics and log lines name; a failure turns into a client's HTTP status
// in gateway/api/api_error.hpp only.
#pragma once

#include "proxy/words/enum_words.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class failure_kind {
  dns,           // the provider's name did not resolve
  connect,       // no TCP connection, or it broke before a response byte
  tls,           // handshake or certificate
  timeout,       // a limit ran out before the first token
  rate_limited,  // too many requests or tokens; heals by itself
  quota,         // credit or quota is gone; does not heal by itself
  auth,          // the provider refused the key
  bad_request,   // the provider says that the request is at fault
  server_error,  // the provider says that it is at fault, overload included
  bad_stream,    // the answer is no answer: not SSE, broken framing or JSON, cut short
  stall,         // the winner fell silent
  crawl,         // the winner was slower than its route's limit
  cancelled,     // we closed the attempt ourselves
  busy,          // a limit of ours left no room for it there: it was not sent, and the provider did nothing wrong
};

// The words in metrics, logs and error texts.
constexpr auto words_of(failure_kind) {
  using enum failure_kind;
  return enum_words<failure_kind, 14>{
      {{dns, "dns"}, {connect, "connect"}, {tls, "tls"}, {timeout, "timeout"}, {rate_limited, "rate_limited"},
       {quota, "quota"}, {auth, "auth"}, {bad_request, "bad_request"}, {server_error, "server_error"},
       {bad_stream, "bad_stream"}, {stall, "stall"}, {crawl, "crawl"}, {cancelled, "cancelled"}, {busy, "busy"}}};
}
constexpr std::string_view to_string(failure_kind kind) { return word_of(kind); }

enum class failure_origin { client, provider, gateway };

// Whom a failure tells something about.
enum class failure_scope {
  target,  // every caller with the same key there
  caller,  // this caller alone: the request may be the cause, or only a text tells it, which may quote the request
};

struct failure {
  failure_kind kind = failure_kind::server_error;
  failure_origin origin = failure_origin::provider;
  std::string detail;  // for people; the provider's own text where it gave one; never a key
  int status = 0;      // the provider's HTTP status; 0 when none came
  std::string code;    // the provider's machine-readable fields; empty when it gave none
  std::string type;
  std::string param;
  std::optional<std::chrono::milliseconds> retry_after;  // as the provider asked
  failure_scope scope = failure_scope::target;
  std::string details;  // the provider's further members for programs, as JSON; empty: none

  // Whether the same request may work later, or elsewhere.
  bool is_retryable() const;
};

// Of the provider.
failure bad_stream(std::string detail);

}  // namespace photofinish::proxy
