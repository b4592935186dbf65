// Rows of the settings table for the settings of providers.
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
     "The provider's key, or none if the provider needs no key; by default the value of the preset's environment "
     "variable"},
    {"dialect", choice, "openai", "The provider's API", {}, dialects},
    plain<&provider::chat_path>("chat_path",
     "The path of chat requests, which is appended to base_url; may contain a query"),
    {"apis", choices, "[chat]",
     "The APIs that the provider serves in OpenAI's format; requests to other APIs do not use this "
     "provider", {}, proxy::served_api_words},
    plain<&provider::key, &provider_key::auth>("auth",
     "How the key is sent: as Authorization: Bearer, in the header `auth_header`, as an AWS signature, or as a renewed "
     "token of Google or Entra"),
    plain<&provider::key, &provider_key::header>("auth_header",
     "With `auth: header`, the header that contains the key"),
    {"aws_access_key_id", secret, "",
     "With `auth: aws`, the id of the access key; by default AWS_ACCESS_KEY_ID if the preset's variable is not set"},
    {"aws_secret_access_key", secret, "",
     "With `auth: aws`, the secret access key, which signs requests; by default AWS_SECRET_ACCESS_KEY"},
    {"aws_session_token", secret, "",
     "With `auth: aws`, the session token of temporary credentials; by default AWS_SESSION_TOKEN"},
    plain<&provider::key, &provider_key::aws_region>("aws_region",
     "With `auth: aws`, the region for signatures; by default the region in the URL's host"),
    {"aws_profile", text, "",
     "With `auth: aws`, the profile in AWS's credentials and config files; by default AWS_PROFILE, otherwise the "
     "profile named default"},
    {"aws_guardrail", text, "",
     "With `dialect: bedrock`, an Amazon guardrail that judges prompts and answers: its id or ARN, a colon, and its "
     "version or DRAFT"},
    {"google_credentials", text, "",
     "With `auth: google`, the JSON file of a service account, a user or a federation; by default "
     "GOOGLE_APPLICATION_CREDENTIALS"},
    {"entra_tenant_id", text, "", "With `auth: entra`, the tenant; by default AZURE_TENANT_ID"},
    {"entra_client_id", text, "",
     "With `auth: entra`, the application, or the managed identity; by default AZURE_CLIENT_ID"},
    {"entra_client_secret", secret, "", "With `auth: entra`, the application's secret; by default AZURE_CLIENT_SECRET"},
    {"entra_token_file", text, "",
     "With `auth: entra`, a file with a federated token, which replaces the secret; by default "
     "AZURE_FEDERATED_TOKEN_FILE"},
    {"entra_scope", text, "",
     "With `auth: entra`, the scope of the token; by default https://cognitiveservices.azure.com/.default"},
    {"headers", secret_map, "{}", "Headers that are added to every request"},
    plain<&provider::forwarding, &provider_forwarding::headers>("forward_headers",
     "Headers of the client that are forwarded to the provider"),
    plain<&provider::forwarding, &provider_forwarding::trace_context>("trace_context",
     "Whether the gateway sends a traceparent header to the provider: the header of the attempt's span, or the "
     "caller's header if tracing is off"),
    plain<&provider::forwarding, &provider_forwarding::accept_bearer>("accept_bearer",
     "Whether the gateway may use a client's bearer token as the provider's key"),
    plain<&provider::models>("models",
     "The models that clients may call directly with the configured key, in addition to the targets of routes; ['*'] "
     "for all"),
    plain<&provider::ca_file>("ca_file",
     "A PEM file of certificates that are trusted for the provider in addition to the system's certificates"),
    {"proxy", secret, "", "The HTTP proxy for the provider, or none; by default the top-level setting `proxy`"},
    plain<&provider::http2>("http2",
     "Whether the gateway uses HTTP/2 to the provider: auto (if TLS negotiates HTTP/2 and few attempts are cancelled), "
     "on (also without TLS) or off"),
    plain<&behaviour::stream>("stream",
     "Whether requests ask for streams: auto (unless the provider refuses to stream), always, or never (answers come "
     "in one piece)"),
    plain<&behaviour::usage>("usage",
     "Whether streams report token usage: only on request, always (the provider rejects requests that ask for "
     "usage), or never"),
    plain<&behaviour::rename_params>("rename_params",
     "Request parameters to rename, because they have another name at the provider"),
    plain<&behaviour::drop_params>("drop_params",
     "Parameters that are removed, because they are only hints and the provider refuses them; a name such as "
     "messages[].reasoning_content removes a member of each message"),
    plain<&behaviour::accept_params>("accept_params",
     "The only parameters that are sent, besides model, messages, input and stream, because the provider refuses "
     "others; if empty, all parameters are sent"),
    plain<&behaviour::reject_params>("reject_params",
     "Essential parameters that the provider does not support; requests with one of these parameters do not use the "
     "provider"),
    plain<&behaviour::developer_role>("developer_role",
     "Whether the provider accepts the role developer; if not, the gateway sends system instead"),
    plain<&behaviour::apply_message>("apply_message",
     "Whether the provider's models only apply edits, and accept only one message of <instruction>, <code> and "
     "<update>"),
    plain<&behaviour::append_only>("append_only",
     "Whether the provider's streams only append text; a provider that rewrites text cannot race"),
    plain<&behaviour::base64_embeddings>("base64_embeddings",
     "Whether requests for embeddings may name an encoding; if not, the gateway requests floats and converts them"),
    plain<&behaviour::billing>("cancel_billing", "Whether the provider stops billing when a stream is closed"),
    plain<&behaviour::tiers>("tiers",
     "How requests name a service tier; none: the gateway does not send the client's service tier"),
    plain<&behaviour::prefill>("prefill",
     "How requests ask the provider to continue another provider's broken answer, for `on_break`"),
    {"prices", text_map, "{}",
     "Prices in USD per million tokens, by model ('*': all other models), as input/output, or also with prices of "
     "cached input; by default the preset's known prices"},
    {"facts", map_of, "{}",
     "Known facts about the provider's models, by model ('*': all other models), for the setting `require` of "
     "routes", section::facts},
    {"prompt_cache", one, "{}", "Facts about the provider's prompt cache that differ from the preset's",
     section::prompt_cache},
    plain<&provider_limits::connect_timeout>("connect_timeout", "The time limit for DNS and TCP"),
    plain<&provider_limits::tls_timeout>("tls_timeout", "The time limit for the TLS handshake"),
    plain<&provider_limits::idle_timeout>("idle_timeout", "An unused connection is closed after this time"),
    plain<&provider_limits::max_connection_age>("max_connection_age",
     "A connection gets no new request after this time; 0s: no limit", {.may_be_zero = true}),
    plain<&provider_limits::max_connections>("max_connections",
     "The maximum number of connections per worker", {.least = 1}),
    plain<&provider_limits::max_spares>("max_spares", "The maximum number of unused connections per worker"),
    plain<&provider_limits::max_running>("max_running",
     "The maximum number of attempts that run at the same time, over all workers; a busy target is skipped; by default "
     "as many as the connections allow", {.least = 1}),
    plain<&provider_limits::max_event_bytes>("max_event",
     "The longest event of a stream; an attempt with a longer event fails", {.type = size, .least = 1}),
    plain<&provider_limits::max_buffered_bytes>("max_buffered",
     "Memory for an attempt's events before its first token; an attempt that needs more memory "
     "fails", {.type = size, .fallback = "16MiB", .least = 1}),
};

constexpr setting facts_rows[] = {
    plain<&target_facts::quantization>("quantization",
     "The format of the model's weights", {.type = choice, .words = quantization_words}),
    plain<&target_facts::context>("context",
     "The maximum number of tokens of a prompt and its answer together", {.least = 1}),
    plain<&target_facts::max_output>("max_output", "The maximum number of tokens of an answer", {.least = 1}),
    plain<&target_facts::tier>("tier", "A label of your choice, for example paid, zero-retention or eu"),
};

constexpr setting prompt_cache_rows[] = {
    plain<&prompt_cache_traits::ttl>("ttl",
     "How long the provider keeps a prompt prefix in its cache after the last request that used the prefix"),
    plain<&prompt_cache_traits::minimum>("minimum",
     "The shortest prompt prefix that the provider caches, in tokens", {.least = 1}),
    plain<&prompt_cache_traits::step>("step",
     "The step by which cached prefixes grow, in tokens: longer prefixes are cached in multiples of this "
     "number", {.least = 1}),
    plain<&prompt_cache_traits::marks>("marks",
     "Whether the provider caches only the prefixes that a request marks, for example with cache_control"),
    plain<&prompt_cache_traits::reported>("reported",
     "When the provider reports how many prompt tokens were cached: before the first token (early), with the usage at "
     "the end (late), or never"),
    {"hint", text, "",
     "The field that routes a conversation to the same machine of the provider: a header if the name has a hyphen, "
     "otherwise a body member; none: no field is sent"},
    plain<&prompt_cache_traits::adds_marks>("add_marks",
     "Whether the gateway adds cache marks to prompts for Claude and Nova if clients of other APIs set no marks"),
};
// clang-format on

constexpr section_rows provider_tables[] = {
    {section::provider, provider_rows}, {section::facts, facts_rows}, {section::prompt_cache, prompt_cache_rows}};

}  // namespace

std::span<const section_rows> provider_rows() { return provider_tables; }

}  // namespace photofinish::gateway
