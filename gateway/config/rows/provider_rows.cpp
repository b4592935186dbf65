// The settings of providers.
#include "gateway/config/rows/setting_rows.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

using enum setting_type;

using proxy::behaviour;
using proxy::prompt_cache_traits;
using proxy::provider;
using proxy::provider_forwarding;
using proxy::provider_key;
using proxy::provider_limits;
using proxy::target_facts;

constexpr std::array<std::string_view, 4> dialects{"openai", "anthropic", "gemini", "bedrock"};

// clang-format off: a row is one or two lines
constexpr setting provider_rows[] = {
    {"preset", text, "", "The known provider this is; by default the one of the same name, if any"},
    {"base_url", text, "", "Where it is: https://host/v1; needed without a preset"},
    {"params", text_map, "{}", "Values of the {placeholders} in the preset's URL"},
    {"api_key", secret, "", "Its key, or none if it needs none; by default the preset's variable"},
    {"dialect", choice, "openai", "The API it speaks", {}, dialects},
    plain<&provider::chat_path>("chat_path", "Appended to base_url; may contain a query"),
    {"apis", choices, "[chat]",
     "What it serves in OpenAI's own shape; a request to another API runs without it", {}, proxy::served_api_words},
    plain<&provider::key, &provider_key::auth>("auth", "How it expects its key: Authorization: Bearer, in the header "
     "auth_header, as AWS's signature, or as a token of Google's or Entra's, which is renewed"),
    plain<&provider::key, &provider_key::header>("auth_header", "With auth: header, the header that carries the key"),
    {"aws_access_key_id", secret, "",
     "With auth: aws, whose signature it is; by default AWS_ACCESS_KEY_ID where the preset's variable is not set"},
    {"aws_secret_access_key", secret, "", "With auth: aws, what signs; by default AWS_SECRET_ACCESS_KEY"},
    {"aws_session_token", secret, "", "With auth: aws, of temporary credentials; by default AWS_SESSION_TOKEN"},
    plain<&provider::key, &provider_key::aws_region>("aws_region",
     "With auth: aws, the region that is signed for; by default that of the URL's host"),
    {"aws_profile", text, "",
     "With auth: aws, the profile of AWS's credentials and config files; by default AWS_PROFILE, or default"},
    {"aws_guardrail", text, "", "With dialect: bedrock, a guardrail of Amazon's that judges prompts and answers there: "
     "its id or ARN, a colon, and its version or DRAFT"},
    {"google_credentials", text, "", "With auth: google, the JSON file of a service account, a user or a federation; "
     "by default GOOGLE_APPLICATION_CREDENTIALS"},
    {"entra_tenant_id", text, "", "With auth: entra, the tenant; by default AZURE_TENANT_ID"},
    {"entra_client_id", text, "",
     "With auth: entra, the application, or the managed identity; by default AZURE_CLIENT_ID"},
    {"entra_client_secret", secret, "", "With auth: entra, the application's secret; by default AZURE_CLIENT_SECRET"},
    {"entra_token_file", text, "",
     "With auth: entra, a file with a federated token in place of the secret; by default AZURE_FEDERATED_TOKEN_FILE"},
    {"entra_scope", text, "",
     "With auth: entra, what the token is for; by default https://cognitiveservices.azure.com/.default"},
    {"headers", secret_map, "{}", "Headers added to every request"},
    plain<&provider::forwarding, &provider_forwarding::headers>("forward_headers",
     "Client headers that may pass to it"),
    plain<&provider::forwarding, &provider_forwarding::trace_context>("trace_context",
     "Sends it a traceparent: its attempt's own, or without tracing the caller's"),
    plain<&provider::forwarding, &provider_forwarding::accept_bearer>("accept_bearer",
     "A client's plain bearer token may serve as its key"),
    plain<&provider::models>("models",
     "What may be called directly on the configured key, besides routes' targets; ['*'] for all"),
    plain<&provider::ca_file>("ca_file", "A PEM file of certificates trusted for it in addition to the system's"),
    {"proxy", secret, "", "The HTTP proxy towards it, or none; by default the one for all"},
    plain<&provider::http2>("http2",
     "HTTP/2 towards it: auto (agreed by TLS, and few attempts cancelled), on (also without TLS) or off"),
    plain<&behaviour::stream>("stream", "Whether it is asked for streams: auto (unless it refuses to stream), always, "
     "or never: its answers come in one piece"),
    plain<&behaviour::usage>("usage", "Token usage in streams: on request, always (asking is an error), never"),
    plain<&behaviour::rename_params>("rename_params", "Request parameters it knows by another name"),
    plain<&behaviour::drop_params>("drop_params",
     "Hints that it refuses: these parameters are removed; messages[].reasoning_content reaches inside"),
    plain<&behaviour::accept_params>("accept_params", "If it refuses unknown parameters: all that it accepts besides "
     "model, messages, input and stream; with none, anything passes"),
    plain<&behaviour::reject_params>("reject_params",
     "Meaningful parameters it cannot honour: requests with one run without it"),
    plain<&behaviour::developer_role>("developer_role",
     "Whether it accepts the role developer; if not, it becomes system"),
    plain<&behaviour::apply_message>("apply_message",
     "Whether it takes only an edit to apply, as one message of <instruction>, <code> and <update>"),
    plain<&behaviour::append_only>("append_only",
     "Whether its stream only appends; one that rewrites text cannot race"),
    plain<&behaviour::base64_embeddings>("base64_embeddings",
     "Whether embeddings may be requested in an encoding; if not, they come as floats and are converted"),
    plain<&behaviour::billing>("cancel_billing", "Whether closing a stream stops its billing"),
    plain<&behaviour::tiers>("tiers",
     "How it is asked for a service tier (below); none: the client's word is left out"),
    plain<&behaviour::prefill>("prefill", "How it is asked to go on with another's answer, for on_break (below)"),
    {"prices", text_map, "{}",
     "USD per million tokens, by model ('*': all others): input/output, or more (below); else the preset's known ones"},
    {"facts", map_of, "{}",
     "What is known of its models, by model ('*': all others), for routes' require", section::facts},
    {"prompt_cache", one, "{}", "What is known of its prompt cache, where it differs from the preset's",
     section::prompt_cache},
    plain<&provider_limits::connect_timeout>("connect_timeout", "DNS and TCP"),
    plain<&provider_limits::tls_timeout>("tls_timeout", "The TLS handshake"),
    plain<&provider_limits::idle_timeout>("idle_timeout", "An unused connection is closed after this"),
    plain<&provider_limits::max_connection_age>("max_connection_age",
     "A connection gets no new request after this; 0s: any age", {.may_be_zero = true}),
    plain<&provider_limits::max_connections>("max_connections", "Connections per worker", {.least = 1}),
    plain<&provider_limits::max_spares>("max_spares", "Unused connections kept per worker"),
    plain<&provider_limits::max_running>("max_running", "Attempts at a time, over all workers: above it the target is "
     "skipped as busy; by default what connections allow", {.least = 1}),
    plain<&provider_limits::max_event_bytes>("max_event",
     "The longest event of a stream; above it the attempt fails", {.type = size, .least = 1}),
    plain<&provider_limits::max_buffered_bytes>("max_buffered", "Memory for the events of an attempt before its first "
     "token; above it the attempt fails", {.type = size, .fallback = "16MiB", .least = 1}),
};

constexpr setting facts_rows[] = {
    plain<&target_facts::quantization>("quantization",
     "The form of its weights", {.type = choice, .words = quantization_words}),
    plain<&target_facts::context>("context", "Tokens of a prompt and its answer together, at most", {.least = 1}),
    plain<&target_facts::max_output>("max_output", "Tokens of an answer, at most", {.least = 1}),
    plain<&target_facts::tier>("tier", "A word of your own, as paid, zero-retention or eu"),
};

constexpr setting prompt_cache_rows[] = {
    plain<&prompt_cache_traits::ttl>("ttl", "How long it keeps a prefix after the last request that used it"),
    plain<&prompt_cache_traits::minimum>("minimum", "Tokens of the shortest prefix that it keeps", {.least = 1}),
    plain<&prompt_cache_traits::step>("step", "Longer prefixes are kept in multiples of so many tokens", {.least = 1}),
    plain<&prompt_cache_traits::marks>("marks",
     "Whether it keeps only the prefixes that a request marks, as with cache_control"),
    plain<&prompt_cache_traits::reported>("reported", "When it reports the tokens that it found in its cache: before "
     "the first token (early), with the usage at the end (late), or never"),
    {"hint", text, "", "The field by which it finds the machine that has a conversation: a header, if the name has a "
     "hyphen, or a member of the body; none: it gets no hint"},
    plain<&prompt_cache_traits::adds_marks>("add_marks",
     "Whether prompts for Claude and Nova that come by another API without a mark get one"),
};
// clang-format on

constexpr section_rows provider_tables[] = {
    {section::provider, provider_rows}, {section::facts, facts_rows}, {section::prompt_cache, prompt_cache_rows}};

}  // namespace

std::span<const section_rows> provider_rows() { return provider_tables; }

}  // namespace photofinish::gateway
