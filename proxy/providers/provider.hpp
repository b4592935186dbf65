// A provider: its address, its form of authentication, its behaviour. Plain data. [pure]
// It is filled from a preset (presets.yaml) and a configuration, and does not change once a request can see it.
#pragma once

#include "proxy/failures/secret.hpp"
#include "proxy/providers/base_url.hpp"
#include "proxy/providers/credential_source.hpp"
#include "proxy/providers/forward_proxy.hpp"
#include "proxy/providers/listed_models.hpp"
#include "proxy/providers/prices.hpp"
#include "proxy/providers/prompt_cache.hpp"
#include "proxy/providers/served_apis.hpp"
#include "proxy/providers/target_facts.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {

enum class auth_style {
  bearer,  // Authorization: Bearer KEY
  header,  // KEY alone, in the header that `auth_header` names
  none,
  aws,     // AWS credentials sign the request (Signature Version 4); any other key is a bearer token
  google,  // like bearer; the key may also be a Google Cloud token, which expires
  entra,   // like bearer; the key may also be a Microsoft Entra token, which expires
};

// Says if a chat stream contains its token usage.
enum class usage_in_stream {
  request,  // if stream_options.include_usage asks for it
  always,   // always; asking for it is an error
  never,    // never; asking for it is an error
};

// Says if photofinish requests streams from a provider, whether or not the client wants one (docs/decisions/0027).
enum class upstream_stream {
  // Always, except for a while after the provider refused to stream: answers are then requested in one piece.
  automatic,
  always,     // always, even after a refusal
  never,      // answers are requested in one piece
};

// The form of a request that lets a provider continue the assistant's words, which it did not write
// (docs/decisions/0062).
enum class prefill_form {
  none,                    // the provider begins a new answer, or refuses
  last_message,            // the conversation ends with the assistant's words
  prefix,                  // the same, and that message contains `prefix: true`
  continue_final_message,  // the same, and the request contains the parameter continue_final_message
};

// Says if closing a stream stops the provider's bill (metric label `billing`).
enum class cancel_billing { stops, full, unknown };

// The field and the words by which a request to a provider asks for a service tier (docs/decisions/0083).
enum class tier_form {
  as_sent,    // the client's own word; for APIs other than OpenAI's, in that API's field
  none,       // the provider has no tiers: the word is left out
  openai,     // the field service_tier
  anthropic,  // the field speed
  gemini,     // the field serviceTier
  vertex,     // a header
  bedrock,    // serviceTier in Converse, service_tier in chat
  groq,
  cerebras,
  fireworks,
};

// The version of HTTP for requests to a provider (docs/decisions/0009). Over TLS both sides agree by ALPN: automatic
// means HTTP/2 if the provider offers it and few attempts are cancelled there. Over plain http it means HTTP/1.1.
enum class http2_use { automatic, on, off };

// The changes that a provider requires in requests, and properties of its streams. Parameter names are those of the
// OpenAI chat completions body.
struct behaviour {
  usage_in_stream usage = usage_in_stream::request;
  std::map<std::string, std::string> rename_params;  // for example {"max_completion_tokens": "max_tokens"}
  std::vector<std::string> drop_params;              // hints: left out and listed in x-race-dropped
  std::vector<std::string> reject_params;            // they carry meaning: the target does not run in the race
  // If not empty: the only parameters that it accepts in addition to model, messages and stream, by its own names. All
  // others are left out.
  std::vector<std::string> accept_params;
  bool developer_role = true;                        // false: "developer" becomes "system"
  bool apply_message = false;                        // true: accepts only one message, with an edit to apply
  bool append_only = true;                           // false: the stream rewrites its text (diffusion) and cannot race
  bool base64_embeddings = true;  // false: requests for embeddings contain no encoding, and the answer has floats
  cancel_billing billing = cancel_billing::unknown;
  prefill_form prefill = prefill_form::none;
  upstream_stream stream = upstream_stream::automatic;
  tier_form tiers = tier_form::as_sent;
  prompt_cache_traits prompt_cache;

  bool operator==(const behaviour&) const = default;
};

struct provider_limits {
  std::chrono::milliseconds connect_timeout{5000};  // for DNS and TCP
  std::chrono::milliseconds tls_timeout{5000};
  std::chrono::milliseconds idle_timeout{60000};  // an unused connection is closed after this time
  std::size_t max_connections = 1024;             // limit per worker, idle and busy
  std::size_t max_spares = 8;                     // limit per worker
  std::optional<std::size_t> max_running;         // attempts, in all workers; none: as many as the connections allow
  std::size_t max_event_bytes = 16u << 20;        // the size of one event of a stream; larger events fail the attempt
  std::size_t max_buffered_bytes = 1u << 20;      // the bytes of one attempt that are kept before its first token
  std::chrono::milliseconds max_connection_age{600'000};  // an older connection gets no new request; 0: any age

  bool operator==(const provider_limits&) const = default;
};

// A guardrail of Amazon Bedrock, which checks prompts and answers there.
struct bedrock_guardrail {
  std::string id;       // the id, or its ARN
  std::string version;  // a number, or DRAFT

  bool operator==(const bedrock_guardrail&) const = default;
};

// The credentials of requests to a provider.
struct provider_key {
  auth_style auth = auth_style::bearer;
  std::string header;      // used with auth_style::header
  std::string aws_region;  // used with auth_style::aws
  bool is_optional = false;  // local engines: a missing key is not an error, and no Authorization is sent
  bool is_unneeded = false;  // a local engine, or `api_key: none`: answers without a price of their own cost 0
  secret value;              // the configured key, or that of the preset's variable; may be empty
  std::optional<credential_source> credentials;  // if set, replaces `value` with keys that expire
  std::string variable;  // the preset's environment variable, named in error texts
  std::string origin;    // the source of `value`: a variable's name or file:PATH; empty if neither was named

  bool operator==(const provider_key&) const = default;
};

// The parts of a client's request that photofinish may send to a provider.
struct provider_forwarding {
  std::vector<std::string> headers;  // names in lower case
  bool trace_context = false;  // sends a traceparent: the attempt's own, or the client's if tracing is off
  bool accept_bearer = false;  // a client's plain bearer token may be used as this provider's key

  bool operator==(const provider_forwarding&) const = default;
};

struct provider {
  std::string name;    // as configured: [a-z0-9][a-z0-9-]*
  std::string preset;  // the preset that filled it; empty: none
  base_url url;
  std::string dialect = "openai";  // the API that requests are written for
  std::string chat_path = "/chat/completions";  // follows url.path; may contain a query, which the other APIs also get
  served_apis apis{served_api::chat};           // the APIs that it serves in OpenAI's own shape
  bool may_serve_others = false;  // neither a preset nor a setting lists its `apis`
  provider_key key;
  std::optional<bedrock_guardrail> guardrail;  // used with the dialect bedrock
  std::vector<std::pair<std::string, std::string>> headers;  // added to each request
  provider_forwarding forwarding;
  std::vector<std::string> models;  // models that clients may call directly with the configured key; {"*"}: any
  std::string ca_file;  // PEM, trusted for this provider in addition to the system's certificates; may be empty
  listed_models listed;             // the known prices and facts that apply
  std::map<std::string, model_prices> prices;  // prices from the configuration, by model
  std::map<std::string, target_facts, std::less<>> facts;  // facts from the configuration, by model; "*": all others
  std::optional<forward_proxy> via;            // the proxy to it; none: a direct connection
  http2_use http2 = http2_use::automatic;
  behaviour behaves;
  provider_limits limits;

  // True if the operator has configured credentials.
  bool has_own_key() const { return !key.value.empty() || key.credentials.has_value(); }

  bool operator==(const provider&) const = default;
};

}  // namespace photofinish::proxy
