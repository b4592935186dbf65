// The settings of a provider: its address, its authentication, its behaviour. [pure] Plain data. A preset
// (presets.yaml) and the configuration provide the values. The settings do not change after the first request can see
// them.
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
  bearer,  // the header `Authorization: Bearer KEY`
  header,  // the key alone, without "Bearer", in the header that `auth_header` names
  none,
  aws,     // a signature by AWS credentials (Signature Version 4); any other key is a bearer token
  google,  // like `bearer`, but the key may also be a Google Cloud token, which expires
  entra,   // like `bearer`, but the key may also be a Microsoft Entra token, which expires
};

// States whether a chat stream contains its token usage.
enum class usage_in_stream {
  request,  // the stream contains the usage only if the request sets stream_options.include_usage
  always,   // the stream always contains the usage; setting include_usage is an error
  never,    // the stream never contains the usage; setting include_usage is an error
};

// States whether photofinish requests streams from a provider. This does not depend on whether the client requests a
// stream (docs/decisions/0027).
enum class upstream_stream {
  // Streams are requested. However, if the provider refuses to stream, photofinish requests non-streamed answers for
  // some time.
  automatic,
  always,  // photofinish always requests streams, even after the provider has refused to stream
  never,   // photofinish requests only non-streamed answers
};

// The form of a request that asks a provider to continue an answer that another model began (docs/decisions/0062).
enum class prefill_form {
  none,                    // not supported; the provider begins a new answer, or refuses the request
  last_message,            // the conversation ends with a message that contains the beginning of the answer
  prefix,                  // like last_message, and the message sets `prefix: true`
  continue_final_message,  // like last_message, and the request sets continue_final_message
};

// States whether closing a stream also stops the provider's billing for it (metric label `billing`).
enum class cancel_billing { stops, full, unknown };

// The field and the words that a request uses to ask a provider for a service tier (docs/decisions/0083).
enum class tier_form {
  as_sent,    // the client's own word for the tier, in the field that the API of the request uses for tiers
  none,       // the provider has no tiers, so requests do not name a tier
  openai,     // the provider uses the field service_tier
  anthropic,  // the provider uses the field speed
  gemini,     // the provider uses the field serviceTier
  vertex,     // a header
  bedrock,    // the provider uses serviceTier in Converse, and service_tier in the chat API
  groq,
  cerebras,
  fireworks,
};

// The HTTP version for requests to a provider (docs/decisions/0009). If the connection uses TLS, photofinish and the
// provider negotiate the version by ALPN. `automatic` then means HTTP/2 if the provider offers it and few attempts to
// this provider are cancelled. Without TLS, `automatic` means HTTP/1.1.
enum class http2_use { automatic, on, off };

// The changes that a provider requires in requests, and properties of its streams. Parameters are named as in OpenAI's
// chat completions API.
struct behaviour {
  usage_in_stream usage = usage_in_stream::request;
  // New names of parameters, such as {"max_completion_tokens": "max_tokens"}.
  std::map<std::string, std::string> rename_params;
  // Parameters that are omitted for this provider and listed in the header x-race-dropped.
  std::vector<std::string> drop_params;
  // Parameters that affect the answer. If a request sets one of them, the target does not take part in the race.
  std::vector<std::string> reject_params;
  // The only parameters that the provider accepts in addition to model, messages and stream. They are listed under the
  // provider's own names. All other parameters are omitted. If the list is empty, all parameters are accepted.
  std::vector<std::string> accept_params;
  bool developer_role = true;  // false if the role "developer" must be replaced by "system"
  // True if the provider accepts only a single message, which contains a code edit to apply.
  bool apply_message = false;
  // False if the provider may change text that it has already streamed, as diffusion models do. Such a provider cannot
  // take part in a race.
  bool append_only = true;
  // if false, requests for embeddings contain no encoding_format, and answers contain floats
  bool base64_embeddings = true;
  cancel_billing billing = cancel_billing::unknown;
  prefill_form prefill = prefill_form::none;
  upstream_stream stream = upstream_stream::automatic;
  tier_form tiers = tier_form::as_sent;
  prompt_cache_traits prompt_cache;

  bool operator==(const behaviour&) const = default;
};

struct provider_limits {
  std::chrono::milliseconds connect_timeout{5000};  // the time limit for DNS and TCP together
  std::chrono::milliseconds tls_timeout{5000};
  std::chrono::milliseconds idle_timeout{60000};  // an unused connection is closed after this time
  std::size_t max_connections = 1024;             // the maximum number of connections per worker, idle and busy
  std::size_t max_spares = 8;                     // the maximum number of spare connections per worker
  // The maximum number of running attempts in all workers. By default, only the connections limit the attempts.
  std::optional<std::size_t> max_running;
  // the maximum size of one event in a stream, in bytes; a larger event fails the attempt
  std::size_t max_event_bytes = 16u << 20;
  // the maximum number of bytes of one attempt that are stored before its first token
  std::size_t max_buffered_bytes = 1u << 20;
  // A connection that is older than this gets no new requests. 0 means that connections have no maximum age.
  std::chrono::milliseconds max_connection_age{600'000};

  bool operator==(const provider_limits&) const = default;
};

// A guardrail of Amazon Bedrock, which checks prompts and answers.
struct bedrock_guardrail {
  std::string id;       // the guardrail's id, or its ARN
  std::string version;  // a version number, or the word DRAFT

  bool operator==(const bedrock_guardrail&) const = default;
};

// The credentials for requests to a provider.
struct provider_key {
  auth_style auth = auth_style::bearer;
  std::string header;      // the name of the header that contains the key; only for auth_style::header
  std::string aws_region;  // the AWS region; only for auth_style::aws
  // True for local inference engines. A missing key is then not an error, and requests have no Authorization header.
  bool is_optional = false;
  // True for local inference engines and for `api_key: none`. The cost of an answer without a known price is then 0.
  bool is_unneeded = false;
  secret value;              // the configured key, or the key in the preset's environment variable; may be empty
  // If set, a source of keys that expire; its keys are used instead of `value`.
  std::optional<credential_source> credentials;
  std::string variable;  // the name of the preset's environment variable, for error messages
  std::string origin;    // where the key comes from: an environment variable's name, or file:PATH; may be empty

  bool operator==(const provider_key&) const = default;
};

// The parts of a client's request that photofinish may send to a provider.
struct provider_forwarding {
  std::vector<std::string> headers;  // the names of forwarded client headers, in lower case
  bool trace_context = false;  // true if a traceparent is sent: the attempt's own, or the client's if tracing is off
  bool accept_bearer = false;  // true if a client's plain bearer token may be used as this provider's key

  bool operator==(const provider_forwarding&) const = default;
};

struct provider {
  std::string name;    // as configured: [a-z0-9][a-z0-9-]*
  std::string preset;  // the preset that filled this object; empty if there is none
  base_url url;
  std::string dialect = "openai";  // the name of the dialect, which is the API for which requests are written
  // The path that is appended to url.path for the chat API. If it contains a query string, the other APIs also get the
  // query string.
  std::string chat_path = "/chat/completions";
  served_apis apis{served_api::chat};  // the OpenAI APIs that the provider serves in OpenAI's own format
  bool may_serve_others = false;       // true if the provider's APIs are listed neither in a preset nor in a setting
  provider_key key;
  std::optional<bedrock_guardrail> guardrail;                // the guardrail to use; only for the dialect bedrock
  std::vector<std::pair<std::string, std::string>> headers;  // the headers that are added to each request
  provider_forwarding forwarding;
  // Models that clients may call directly with the configured key. {"*"} means any model.
  std::vector<std::string> models;
  // Certificates in PEM that are trusted for this provider in addition to the system's. May be empty.
  std::string ca_file;
  listed_models listed;             // the catalogue that contains the known prices and facts
  std::map<std::string, model_prices> prices;  // the configured prices; the key is the model's name
  // Configured facts. The key is the model's name, or "*" for all other models.
  std::map<std::string, target_facts, std::less<>> facts;
  std::optional<forward_proxy> via;            // the proxy to the provider; nullopt for a direct connection
  http2_use http2 = http2_use::automatic;
  behaviour behaves;
  provider_limits limits;

  // True if the operator has configured credentials.
  bool has_own_key() const { return !key.value.empty() || key.credentials.has_value(); }

  bool operator==(const provider&) const = default;
};

}  // namespace photofinish::proxy
