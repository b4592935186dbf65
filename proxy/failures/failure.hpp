// A value that describes a failure between the gateway and one provider. [pure] The kinds are the reasons in metrics
// and log lines. Only gateway/api/api_error.hpp converts a failure to a client's HTTP status.
#pragma once

#include "proxy/words/enum_words.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class failure_kind {
  dns,           // the provider's name did not resolve
  connect,       // there was no TCP connection, or it broke before any byte of the response
  tls,           // the handshake or the check of the certificate failed
  timeout,       // a limit expired before the first token
  rate_limited,  // too many requests or tokens; the limit resets after a while
  quota,         // credit or quota is used up, and waiting does not help
  auth,          // the provider rejected the key
  bad_request,   // the provider blames the request
  server_error,  // the provider reports its own fault, or that it is overloaded
  bad_stream,    // the answer is not SSE, has bad framing or bad JSON, or was cut short
  stall,         // the winner of a race sent nothing for too long
  crawl,         // the winner of a race was slower than its route's limit
  cancelled,     // the gateway closed the attempt
  // The gateway did not send the attempt, because one of its own limits left no room for it. The
  // provider did nothing wrong.
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

// The callers and targets that a failure concerns.
enum class failure_scope {
  target,  // every caller that uses the same key at this target
  // The failure concerns only this caller. The request may be the cause, or only a text, which may quote the request,
  // indicates the failure.
  caller,
};

struct failure {
  failure_kind kind = failure_kind::server_error;
  failure_origin origin = failure_origin::provider;
  std::string detail;  // for people; the provider's own text if it sent one; never contains a key
  int status = 0;      // the provider's HTTP status, or 0 if none arrived
  std::string code;    // the provider's machine-readable fields; empty if it sent none
  std::string type;
  std::string param;
  std::optional<std::chrono::milliseconds> retry_after;  // the wait that the provider asks for
  failure_scope scope = failure_scope::target;
  std::string details;  // the other members of the provider's error that programs read, as JSON; may be empty

  // True if the same request may succeed later or at another provider.
  bool is_retryable() const;
};

// Returns the failure for a provider's invalid answer.
failure bad_stream(std::string detail);

}  // namespace photofinish::proxy
