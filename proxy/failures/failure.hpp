// A value that describes why a request to a provider failed. Its kinds are the reasons in metrics and log lines. Only
// gateway/api/api_error.hpp converts a failure to an HTTP status for the client. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class failure_kind {
  dns,           // the provider's host name could not be resolved
  connect,       // no TCP connection could be opened, or it broke before the first byte of the response
  tls,           // the TLS handshake or the check of the certificate failed
  timeout,       // a time limit expired before the first token
  rate_limited,  // too many requests or tokens; the limit is reset after some time
  quota,         // credit or quota is used up, and waiting does not help
  auth,          // the provider rejected the key
  bad_request,   // the provider rejected the request as invalid
  server_error,  // the provider reports an internal error or an overload
  bad_stream,    // the answer is not SSE, has invalid framing or JSON, or was cut short
  stall,         // the winner of a race sent nothing for too long
  crawl,         // the winner of a race was slower than its route's minimum speed
  cancelled,     // the gateway closed the attempt
  // The gateway did not send the attempt, because one of the gateway's own limits was reached. The provider did nothing
  // wrong.
  busy,
};

// The words that name the kinds of failures in metrics, logs and error texts.
constexpr auto words_of(failure_kind) {
  using enum failure_kind;
  return enum_words<failure_kind, 14>{
      {{dns, "dns"}, {connect, "connect"}, {tls, "tls"}, {timeout, "timeout"}, {rate_limited, "rate_limited"},
       {quota, "quota"}, {auth, "auth"}, {bad_request, "bad_request"}, {server_error, "server_error"},
       {bad_stream, "bad_stream"}, {stall, "stall"}, {crawl, "crawl"}, {cancelled, "cancelled"}, {busy, "busy"}}};
}
constexpr std::string_view to_string(failure_kind kind) { return word_of(kind); }

enum class failure_origin { client, provider, gateway };

// Defines which callers and targets a failure concerns.
enum class failure_scope {
  target,  // all callers that use the same key for this target
  // The failure concerns only this caller, because its request may be the cause. Also used if only the error text
  // describes the failure, because the text may quote the request.
  caller,
};

struct failure {
  failure_kind kind = failure_kind::server_error;
  failure_origin origin = failure_origin::provider;
  std::string detail;  // text for people, usually the provider's own; never contains a key
  int status = 0;      // the provider's HTTP status, or 0 if there is no status
  std::string code;    // the provider's machine-readable fields; empty if not sent
  std::string type;
  std::string param;
  std::optional<std::chrono::milliseconds> retry_after;  // the time that the provider asks the client to wait
  failure_scope scope = failure_scope::target;
  std::string details;  // other members of the provider's error, as JSON for programs; may be empty

  // True if the same request may succeed later, or at another provider.
  bool is_retryable() const;
};

// Returns the failure for an invalid answer.
failure bad_stream(std::string detail);

}  // namespace photofinish::proxy
