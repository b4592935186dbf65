// Who a provider is: where it listens, how it wants its key, how it behaves. Plain data. [pure]
// Filled from a preset (presets.yaml) and a configuration; immutable once a request can see it.
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
  header,  // KEY as it is, in the header that `auth_header` names
  none,
  aws,     // AWS's credentials sign the request (Signature Version 4); any other key is a bearer token
  google,  // as bearer; the key may be one of Google Cloud's tokens, which expire
  entra,   // as bearer; likewise of Microsoft Entra's
};

// Whether a chat stream tells its token usage.
enum class usage_in_stream {
  request,  // when asked by stream_options.include_usage
  always,   // without being asked; asking is an error there
  never,    // asking is an error, and none comes
};

// Whether a provider is asked for streams, for clients of either kind (docs/decisions/0027).
enum class upstream_stream {
  automatic,  // wherever it may stream: what it has refused to stream is asked for in one piece for a while
  always,     // even where it has refused
  never,      // each answer comes in one piece
};

// How a provider is asked to go on with words of the assistant that it did not write (docs/decisions/0062).
enum class prefill_form {
  none,                    // it begins an answer of its own, or refuses
  last_message,            // a conversation that ends with them
  prefix,                  // the same, marked by `prefix: true` in that message
  continue_final_message,  // the same, marked by that parameter beside the messages
};

// Does closing a stream stop the bill there? (metric label `billing`)
enum class cancel_billing { stops, full, unknown };

// Where and by which words a provider is asked for a service tier (docs/decisions/0083).
enum class tier_form {
  as_sent,    // the client's word passes; with another API than OpenAI's: as that API has it
  none,       // it has no tiers: the word is left out
  openai,     // service_tier
  anthropic,  // speed
  gemini,     // serviceTier
  vertex,     // a header
  bedrock,    // serviceTier of Converse, service_tier of chat
  groq,
  cerebras,
  fireworks,
};

// Which HTTP a provider is spoken to (docs/decisions/0009). Over TLS both sides agree by ALPN; automatic means
// HTTP/2 where the provider offers it and few attempts are cancelled there. Over plain http it means HTTP/1.1.
enum class http2_use { automatic, on, off };

// What a provider wants done to a request, and does to its streams. Parameter names are those of the
// OpenAI chat completions body.
struct behaviour {
  usage_in_stream usage = usage_in_stream::request;
  std::map<std::string, std::string> rename_params;  // {"max_completion_tokens": "max_tokens"}
  std::vector<std::string> drop_params;              // hints: left out, and x-race-dropped says so
  std::vector<std::string> reject_params;            // carry meaning: the target sits this race out
  // With entries: all it takes beside model, messages and stream, by its own names; anything else is left out
  std::vector<std::string> accept_params;
  bool developer_role = true;                        // false: "developer" becomes "system"
  bool apply_message = false;                        // true: takes an edit to apply, as one message, and nothing else
  bool append_only = true;                           // false: the stream rewrites text (diffusion): cannot race
  bool base64_embeddings = true;                     // false: embeddings are asked for without an encoding, as floats
  cancel_billing billing = cancel_billing::unknown;
  prefill_form prefill = prefill_form::none;
  upstream_stream stream = upstream_stream::automatic;
  tier_form tiers = tier_form::as_sent;
  prompt_cache_traits prompt_cache;

  bool operator==(const behaviour&) const = default;
};

struct provider_limits {
  std::chrono::milliseconds connect_timeout{5000};  // DNS and TCP
  std::chrono::milliseconds tls_timeout{5000};
  std::chrono::milliseconds idle_timeout{60000};  // an unused connection is closed after this
  std::size_t max_connections = 1024;             // per worker, idle and busy
  std::size_t max_spares = 8;                     // per worker
  std::optional<std::size_t> max_running;         // attempts, over all workers; none: as many as connections allow
  std::size_t max_event_bytes = 16u << 20;        // one event of a stream; above it the attempt fails
  std::size_t max_buffered_bytes = 1u << 20;      // kept of one attempt before its first token
  std::chrono::milliseconds max_connection_age{600'000};  // an older connection gets no new request; 0: any age

  bool operator==(const provider_limits&) const = default;
};

// A guardrail of Amazon Bedrock's, which judges prompts and answers there.
struct bedrock_guardrail {
  std::string id;       // or its ARN
  std::string version;  // a number, or DRAFT

  bool operator==(const bedrock_guardrail&) const = default;
};

// How requests prove to a provider who sends them.
struct provider_key {
  auth_style auth = auth_style::bearer;
  std::string header;      // with auth_style::header
  std::string aws_region;  // with auth_style::aws
  bool is_optional = false;  // local engines: without a key no Authorization is sent, and none is missing
  bool is_unneeded = false;  // a local engine, or `api_key: none`: its answers cost 0, unless they have a price
  secret value;              // the configured one, or the preset's variable; empty when none
  std::optional<credential_source> credentials;  // in place of `value`: keys that expire
  std::string variable;  // the preset's environment variable, for error texts
  std::string origin;    // where `value` came from: a variable's name, file:PATH; empty if neither was named

  bool operator==(const provider_key&) const = default;
};

// The parts of a client's request that a provider may receive.
struct provider_forwarding {
  std::vector<std::string> headers;  // names in lower case
  bool trace_context = false;  // gets a traceparent: its attempt's own, or without tracing the caller's
  bool accept_bearer = false;  // a client's plain bearer token may be this provider's key

  bool operator==(const provider_forwarding&) const = default;
};

struct provider {
  std::string name;    // as configured: [a-z0-9][a-z0-9-]*
  std::string preset;  // the preset it came from; empty when none
  base_url url;
  std::string dialect = "openai";  // how it speaks; more to come
  std::string chat_path = "/chat/completions";  // behind url.path; may hold a query, which holds for the other APIs too
  served_apis apis{served_api::chat};           // what it serves in OpenAI's own shape
  bool may_serve_others = false;  // neither a preset nor its setting says what `apis` are
  provider_key key;
  std::optional<bedrock_guardrail> guardrail;  // with the dialect bedrock
  std::vector<std::pair<std::string, std::string>> headers;  // added to each request
  provider_forwarding forwarding;
  std::vector<std::string> models;  // may be called directly on the configured key; {"*"}: any
  std::string ca_file;              // PEM; trusted beside the system's certificates for this provider. Empty: none
  listed_models listed;             // the known prices and facts that hold here
  std::map<std::string, model_prices> prices;  // the configuration's own, by model
  std::map<std::string, target_facts, std::less<>> facts;  // the configuration's, by model; "*": all others
  std::optional<forward_proxy> via;            // how it is reached; none: directly
  http2_use http2 = http2_use::automatic;
  behaviour behaves;
  provider_limits limits;

  // Whether the operator has given it credentials.
  bool has_own_key() const { return !key.value.empty() || key.credentials.has_value(); }

  bool operator==(const provider&) const = default;
};

}  // namespace photofinish::proxy
