// Table rows of the settings about providers.
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
    {"preset", text, "", "The preset to use; by default the preset with this provider's name, if there is one"},
    {"base_url", text, "", "The provider's URL, for example https://host/v1; required without a preset"},
    {"params", text_map, "{}", "Values of the {placeholders} in the preset's URL"},
    {"api_key", secret, "",
     "The provider's key, or none if it needs no key; by default the value of the preset's variable"},
    {"dialect", choice, "openai", "The provider's API", {}, dialects},
    plain<&provider::chat_path>("chat_path",
     "The path of chat requests, which is appended to base_url; may contain a query"),
    {"apis", choices, "[chat]",
     "The APIs that the provider serves in OpenAI's format; requests to other APIs do not use this "
     "provider", {}, proxy::served_api_words},
    plain<&provider::key, &provider_key::auth>("auth",
     "How the key is sent: as Authorization: Bearer, in the header auth_header, as an AWS signature, or as a token of "
     "Google or Entra, which is renewed"),
    plain<&provider::key, &provider_key::header>("auth_header", "With auth: header, the header that contains the key"),
    {"aws_access_key_id", secret, "",
     "With auth: aws, the id of the access key; by default AWS_ACCESS_KEY_ID if the preset's variable is not set"},
    {"aws_secret_access_key", secret, "",
     "With auth: aws, the secret access key, which signs requests; by default AWS_SECRET_ACCESS_KEY"},
    {"aws_session_token", secret, "",
     "With auth: aws, the session token of temporary credentials; by default AWS_SESSION_TOKEN"},
    plain<&provider::key, &provider_key::aws_region>("aws_region",
     "With auth: aws, the region in signatures; by default the region in the URL's host"),
    {"aws_profile", text, "",
     "With auth: aws, the profile in AWS's credentials and config files; by default AWS_PROFILE, otherwise default"},
    {"aws_guardrail", text, "",
     "With dialect: bedrock, an Amazon guardrail that judges prompts and answers: its id or ARN, a colon, and its "
     "version or DRAFT"},
    {"google_credentials", text, "", "With auth: google, the JSON file of a service account, a user or a federation; "
     "by default GOOGLE_APPLICATION_CREDENTIALS"},
    {"entra_tenant_id", text, "", "With auth: entra, the tenant; by default AZURE_TENANT_ID"},
    {"entra_client_id", text, "",
     "With auth: entra, the application, or the managed identity; by default AZURE_CLIENT_ID"},
    {"entra_client_secret", secret, "", "With auth: entra, the application's secret; by default AZURE_CLIENT_SECRET"},
    {"entra_token_file", text, "",
     "With auth: entra, a file with a federated token, which replaces the secret; by default "
     "AZURE_FEDERATED_TOKEN_FILE"},
    {"entra_scope", text, "",
     "With auth: entra, the scope of the token; by default https://cognitiveservices.azure.com/.default"},
    {"headers", secret_map, "{}", "Headers that are added to every request"},
    plain<&provider::forwarding, &provider_forwarding::headers>("forward_headers",
     "Headers of the client that are forwarded to the provider"),
    plain<&provider::forwarding, &provider_forwarding::trace_context>("trace_context",
     "Whether the provider gets a traceparent header: the attempt's own, or the caller's if there is no tracing"),
    plain<&provider::forwarding, &provider_forwarding::accept_bearer>("accept_bearer",
     "Whether a client's plain bearer token may be used as the provider's key"),
    plain<&provider::models>("models",
     "The models that clients may call directly with the configured key, in addition to the targets of routes; ['*'] "
     "for all"),
    plain<&provider::ca_file>("ca_file",
     "A PEM file of certificates that are trusted for the provider in addition to the system's"),
    {"proxy", secret, "", "The HTTP proxy for the provider, or none; by default the top-level setting proxy"},
    plain<&provider::http2>("http2",
     "HTTP/2 to the provider: auto (if TLS agrees on it and few attempts are cancelled), on (also without TLS) or off"),
    plain<&behaviour::stream>("stream",
     "Whether requests ask for streams: auto (unless the provider refuses to stream), always, or never (answers come "
     "in one piece)"),
    plain<&behaviour::usage>("usage",
     "Whether streams report token usage: on request, always (a request for it is an error), or never"),
    plain<&behaviour::rename_params>("rename_params", "Request parameters that have another name at the provider"),
    plain<&behaviour::drop_params>("drop_params",
     "Parameters that are removed because they are only hints and the provider refuses them; "
     "messages[].reasoning_content names a member of each message"),
    plain<&behaviour::accept_params>("accept_params",
     "If the provider refuses unknown parameters: all parameters that it accepts in addition to model, messages, input "
     "and stream; if empty, all parameters are sent"),
    plain<&behaviour::reject_params>("reject_params",
     "Meaningful parameters that the provider does not support: requests with one of them do not use the provider"),
    plain<&behaviour::developer_role>("developer_role",
     "Whether the provider accepts the role developer; if not, the role becomes system"),
    plain<&behaviour::apply_message>("apply_message",
     "Whether the provider accepts only edits to apply, as one message of <instruction>, <code> and <update>"),
    plain<&behaviour::append_only>("append_only",
     "Whether the provider's streams only append text; a provider that rewrites text cannot race"),
    plain<&behaviour::base64_embeddings>("base64_embeddings",
     "Whether embeddings may be requested in an encoding; if not, they are requested as floats and converted"),
    plain<&behaviour::billing>("cancel_billing", "Whether the provider stops billing when a stream is closed"),
    plain<&behaviour::tiers>("tiers",
     "How requests name a service tier; none: the client's service tier is not sent"),
    plain<&behaviour::prefill>("prefill",
     "How requests ask the provider to continue another provider's answer, for on_break"),
    {"prices", text_map, "{}",
     "USD per million tokens, by model ('*': all others): input/output, or also prices of cached input; by default the "
     "preset's known prices"},
    {"facts", map_of, "{}",
     "Known facts about the provider's models, by model ('*': all others), for the setting require of "
     "routes", section::facts},
    {"prompt_cache", one, "{}", "Facts about the provider's prompt cache that differ from the preset's",
     section::prompt_cache},
    plain<&provider_limits::connect_timeout>("connect_timeout", "The time limit for DNS and TCP"),
    plain<&provider_limits::tls_timeout>("tls_timeout", "The time limit for the TLS handshake"),
    plain<&provider_limits::idle_timeout>("idle_timeout", "An unused connection is closed after this time"),
    plain<&provider_limits::max_connection_age>("max_connection_age",
     "A connection gets no new request after this time; 0s: no limit", {.may_be_zero = true}),
    plain<&provider_limits::max_connections>("max_connections", "Connections per worker", {.least = 1}),
    plain<&provider_limits::max_spares>("max_spares", "Unused connections kept per worker"),
    plain<&provider_limits::max_running>("max_running",
     "Attempts that run at the same time, over all workers; a target with so many is skipped as busy; by default as "
     "many as the connections allow", {.least = 1}),
    plain<&provider_limits::max_event_bytes>("max_event",
     "The longest event of a stream; an attempt with a longer event fails", {.type = size, .least = 1}),
    plain<&provider_limits::max_buffered_bytes>("max_buffered",
     "Memory for an attempt's events before its first token; an attempt that needs more "
     "fails", {.type = size, .fallback = "16MiB", .least = 1}),
};

constexpr setting facts_rows[] = {
    plain<&target_facts::quantization>("quantization",
     "The format of the model's weights", {.type = choice, .words = quantization_words}),
    plain<&target_facts::context>("context",
     "The largest number of tokens of a prompt and its answer together", {.least = 1}),
    plain<&target_facts::max_output>("max_output", "The largest number of tokens of an answer", {.least = 1}),
    plain<&target_facts::tier>("tier", "A word of your choice, for example paid, zero-retention or eu"),
};

constexpr setting prompt_cache_rows[] = {
    plain<&prompt_cache_traits::ttl>("ttl", "How long the provider keeps a prefix after the last request that used it"),
    plain<&prompt_cache_traits::minimum>("minimum",
     "The shortest prefix that the provider keeps, in tokens", {.least = 1}),
    plain<&prompt_cache_traits::step>("step",
     "Longer prefixes are kept in multiples of this number of tokens", {.least = 1}),
    plain<&prompt_cache_traits::marks>("marks",
     "Whether the provider keeps only the prefixes that a request marks, for example with cache_control"),
    plain<&prompt_cache_traits::reported>("reported",
     "When the provider reports the tokens that it found in its cache: before the first token (early), with the usage "
     "at the end (late), or never"),
    {"hint", text, "",
     "The field by which the provider finds the machine that has a conversation: a header if the name has a hyphen, "
     "otherwise a member of the body; none: no hint is sent"},
    plain<&prompt_cache_traits::adds_marks>("add_marks",
     "Whether marks are added to prompts for Claude and Nova that come through another API without a mark"),
};
// clang-format on

constexpr section_rows provider_tables[] = {
    {section::provider, provider_rows}, {section::facts, facts_rows}, {section::prompt_cache, prompt_cache_rows}};

}  // namespace

std::span<const section_rows> provider_rows() { return provider_tables; }

}  // namespace photofinish::gateway
