// A provider: its address, its form of authentication, its behaviour. Plain data. [pure] A preset (presets.yaml) and a
// configuration fill it, and it does not change once a request can see it.
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
  bearer,  // the field Authorization: Bearer KEY
  header,  // the key alone, in the header that `auth_header` names
  none,
  aws,     // AWS credentials sign the request (Signature Version 4); any other key is a bearer token
  google,  // as `bearer`; the key may also be a Google Cloud token, which expires
  entra,   // as `bearer`; the key may also be a Microsoft Entra token, which expires
};

// Says if a chat stream contains its token usage.
enum class usage_in_stream {
  request,  // only if stream_options.include_usage asks for it
  always,   // always; a request for it is an error
  never,    // never; a request for it is an error
};

// Says if photofinish requests streams from a provider, whether or not the client wants one (docs/decisions/0027).
enum class upstream_stream {
  // Streams are requested, except for a while after the provider refused to stream. In that time answers are
  // requested in one piece.
  automatic,
  always,  // streams are requested, even after a refusal
  never,   // answers are requested in one piece
};

// The form of a request in which a provider continues an answer that another model began (docs/decisions/0062).
enum class prefill_form {
  none,                    // the provider begins a new answer, or refuses
  last_message,            // the conversation ends with the beginning of the answer
  prefix,                  // as last_message, and this message contains `prefix: true`
  continue_final_message,  // as last_message, and the request contains continue_final_message
};

// Says if the provider's bill for a stream stops when the stream is closed (metric label `billing`).
enum class cancel_billing { stops, full, unknown };

// The field and the words by which a request asks a provider for a service tier (docs/decisions/0083).
enum class tier_form {
  as_sent,    // the client's own word; in other APIs than OpenAI's, in that API's field
  none,       // the provider has no tiers, so the word is left out
  openai,     // uses the field service_tier
  anthropic,  // uses the field speed
  gemini,     // uses the field serviceTier
  vertex,     // a header
  bedrock,    // uses serviceTier in Converse, service_tier in chat
  groq,
  cerebras,
  fireworks,
};

// The version of HTTP for requests to a provider (docs/decisions/0009). Over TLS both sides agree on it by ALPN:
// `automatic` means HTTP/2 if the provider offers it and few attempts are cancelled there. Over plain http,
// `automatic` means HTTP/1.1.
enum class http2_use { automatic, on, off };

// The changes that a provider requires in requests, and properties of its streams. The parameters have the names that
// they have in the body of OpenAI's chat completions.
struct behaviour {
  usage_in_stream usage = usage_in_stream::request;
  // New names of parameters, such as {"max_completion_tokens": "max_tokens"}.
  std::map<std::string, std::string> rename_params;
  std::vector<std::string> drop_params;  // parameters that are hints: left out and listed in x-race-dropped
  // Parameters with a meaning: if one is set, the target does not run.
  std::vector<std::string> reject_params;
  // The only parameters that the provider accepts in addition to model, messages and stream, by its own names. All
  // others are left out. An empty list accepts all parameters.
  std::vector<std::string> accept_params;
  bool developer_role = true;  // false if the role "developer" must become "system"
  // True if the provider accepts only one message, which contains an edit to apply.
  bool apply_message = false;
  // False if the stream rewrites its text (diffusion) and therefore cannot race.
  bool append_only = true;
  bool base64_embeddings = true;  // if false, requests for embeddings name no encoding, and answers have floats
  cancel_billing billing = cancel_billing::unknown;
  prefill_form prefill = prefill_form::none;
  upstream_stream stream = upstream_stream::automatic;
  tier_form tiers = tier_form::as_sent;
  prompt_cache_traits prompt_cache;

  bool operator==(const behaviour&) const = default;
};

struct provider_limits {
  std::chrono::milliseconds connect_timeout{5000};  // the limit for DNS and TCP
  std::chrono::milliseconds tls_timeout{5000};
  std::chrono::milliseconds idle_timeout{60000};  // an unused connection is closed after this time
  std::size_t max_connections = 1024;             // the limit per worker, idle and busy
  std::size_t max_spares = 8;                     // the limit per worker
  // The number of attempts in all workers; if unset, as many as the connections allow.
  std::optional<std::size_t> max_running;
  std::size_t max_event_bytes = 16u << 20;        // the size of one event of a stream; larger events fail the attempt
  std::size_t max_buffered_bytes = 1u << 20;      // the bytes of one attempt that are kept before its first token
  // Connections older than this get no new requests; 0: no maximum age.
  std::chrono::milliseconds max_connection_age{600'000};

  bool operator==(const provider_limits&) const = default;
};

// A guardrail of Amazon Bedrock, which checks prompts and answers there.
struct bedrock_guardrail {
  std::string id;       // the guardrail's id, or its ARN
  std::string version;  // a number, or the word DRAFT

  bool operator==(const bedrock_guardrail&) const = default;
};

// The credentials of requests to a provider.
struct provider_key {
  auth_style auth = auth_style::bearer;
  std::string header;      // the header that contains the key, for auth_style::header
  std::string aws_region;  // the AWS region, for auth_style::aws
  bool is_optional = false;  // true for local engines: a missing key is not an error, and no Authorization is sent
  bool is_unneeded = false;  // a local engine, or `api_key: none`: answers without a price cost 0
  secret value;              // the configured key, or the key in the preset's variable; may be empty
  std::optional<credential_source> credentials;  // if set, provides keys that expire instead of `value`
  std::string variable;  // the preset's environment variable, for error texts
  std::string origin;    // the source of `value`: a variable's name or file:PATH; may be empty

  bool operator==(const provider_key&) const = default;
};

// The parts of a client's request that photofinish may send to a provider.
struct provider_forwarding {
  std::vector<std::string> headers;  // the names of headers in lower case
  bool trace_context = false;  // sends a traceparent: the attempt's own, or the client's if tracing is off
  bool accept_bearer = false;  // a client's plain bearer token may be used as this provider's key

  bool operator==(const provider_forwarding&) const = default;
};

struct provider {
  std::string name;    // as configured: [a-z0-9][a-z0-9-]*
  std::string preset;  // the preset that filled this object; empty if there is none
  base_url url;
  std::string dialect = "openai";  // the API for which requests are written
  // The path after url.path; may contain a query, which other APIs also get.
  std::string chat_path = "/chat/completions";
  served_apis apis{served_api::chat};  // the APIs that the provider serves in OpenAI's own shape
  bool may_serve_others = false;       // true if neither a preset nor a setting lists the provider's APIs
  provider_key key;
  std::optional<bedrock_guardrail> guardrail;                // the guardrail, for the dialect bedrock only
  std::vector<std::pair<std::string, std::string>> headers;  // the headers that each request gets
  provider_forwarding forwarding;
  std::vector<std::string> models;  // models that clients may call directly with the configured key; {"*"}: any model
  std::string ca_file;  // PEM; trusted for this provider in addition to the system's certificates; may be empty
  listed_models listed;             // the list with the known prices and facts
  std::map<std::string, model_prices> prices;  // prices from the configuration, by model
  std::map<std::string, target_facts, std::less<>> facts;  // facts from the configuration, by model; "*" for all others
  std::optional<forward_proxy> via;            // the proxy to the provider; none for a direct connection
  http2_use http2 = http2_use::automatic;
  behaviour behaves;
  provider_limits limits;

  // True if the operator has configured credentials.
  bool has_own_key() const { return !key.value.empty() || key.credentials.has_value(); }

  bool operator==(const provider&) const = default;
};

}  // namespace photofinish::proxy
