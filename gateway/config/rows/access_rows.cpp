// Rows of the settings table for the settings of callers: access keys, token issuers, limits and guardrails.
#include "gateway/config/rows/setting_rows.hpp"

namespace photofinish::gateway {
namespace {

using enum setting_type;

// The maximum number of tokens per minute. At a higher rate, one token would take less than a nanosecond, which is the
// time unit of token buckets.
constexpr std::uint64_t most_a_minute = 60'000'000'000;

// clang-format off: a row is one or two lines
constexpr setting access_key_rows[] = {
    plain<&access_key::name>("name",
     "The key's unique name, which is also the client label of metrics", {.is_required = true}),
    plain<&access_key::key>("key", "The secret that the client sends"),
    {"key_hash", text_or_texts, "",
     "The SHA-256 of the key, as sha256: and 64 hex digits, instead of `key` or in addition to `key`; a list for "
     "several keys"},
    plain<&access_key::cert_subject>("cert_subject",
     "A name in the client's certificate, which is used instead of a key or in addition to a key, for example "
     "CN=alice,O=Example or URI:spiffe://…"),
    plain<&access_key::routes>("routes", "The routes that the key may use; if empty, all routes and direct targets"),
    plain<&access_key::team>("team", "The team whose limits the key shares"),
    {"expires", text, "", "The time from which the key is refused, for example 2027-03-31 or 2027-03-31T18:00:00Z"},
    plain<&access_key::is_blocked>("blocked", "Whether requests with this key are refused"),
    plain<&access_key::is_admin>("admin",
     "Whether the key may open the live page, use `photofinish advise`, and read the races and the usage of all "
     "callers"),
    {"by_route", map_of, "{}", "Additional limits of the key for individual routes", section::key_limits},
};

constexpr setting sealed_keys_rows[] = {
    {"secrets", secrets, "[]",
     "Secrets that decrypt sealed keys, at least 32 characters each; the first secret encrypts new keys"},
    plain<&sealed_key_settings::audience>("audience",
     "The audience of this gateway; sealed keys for other audiences are refused"),
    {"revoked", secret, "",
     "Ids of sealed keys that are refused, separated by spaces or line breaks; or file:PATH of a watched file with the "
     "ids"},
};

constexpr setting jwt_rows[] = {
    plain<&jwt_issuer::issuer>("issuer",
     "The exact value of the claim iss in the issuer's tokens", {.is_required = true}),
    plain<&jwt_issuer::audiences>("audience",
     "The accepted values of the claim aud; a token needs one of these "
     "values", {.type = text_or_texts, .is_required = true}),
    required_row({"jwks_url", text, "",
     "The https URL of the issuer's public keys, which its openid-configuration contains as jwks_uri"}),
    plain<&jwt_issuer::jwks, &jwks_source::ca_file>("ca_file",
     "A PEM file of certificates that are trusted for `jwks_url` in addition to the system's certificates"),
    plain<&jwt_issuer::name>("name",
     "The issuer's name, the part NAME in the names of callers (_jwt/NAME/TEAM/SUBJECT); by default the issuer's host"),
    plain<&jwt_issuer::name_claim>("name_claim", "The claim that contains the caller's name"),
    plain<&jwt_issuer::team_claim>("team_claim",
     "The claim that contains the team: either one name, or a list of which the first configured team is used"),
    plain<&jwt_issuer::team>("team",
     "The team of tokens whose claim names no team; without this setting, such tokens are refused"),
    plain<&jwt_issuer::routes_claim>("routes_claim",
     "The claim that lists the routes that the caller may use; without this setting, callers may use all routes and "
     "direct targets"),
};

constexpr setting limit_rows[] = {
    plain<&limit_settings::requests_per_minute>("rpm_limit",
     "The maximum number of requests per minute", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::tokens_per_minute>("tpm_limit",
     "The maximum number of tokens per minute, counting prompts and answers", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::parallel_requests>("max_parallel_requests",
     "The maximum number of requests that run at the same time", {.least = 1}),
    plain<&limit_settings::budget_nano_usd>("max_budget",
     "The maximum amount in US dollars that may be spent in a budget window"),
    plain<&limit_settings::soft_budget_nano_usd>("soft_budget",
     "The spending in US dollars at which an alert is sent, once per budget window"),
    plain<&limit_settings::unpriced>("unpriced",
     "Whether requests may use targets without a known price, whose costs no budget counts: allow or refuse; if "
     "several settings apply, the strictest is used"),
    {"budget_duration", text, "1mo",
     "The length of a budget window: a calendar month, week or day in `budget_timezone` (1mo, 1w, 1d), or a shorter "
     "time such as 5h"},
};

constexpr setting guardrail_rows[] = {
    plain<&guardrail_settings::name>("name",
     "The guardrail's unique name in metrics, in the log and in error messages; by default the URL's host"),
    required_row({"url", text, "",
     "The guardrail's URL, for example http://pii.internal:8000; the gateway appends /request"}),
    plain<&guardrail_settings::mode>("mode",
     "When the guardrail judges: parallel (during the race; the answer waits for the verdict) or before (before any "
     "provider gets the prompt; needed for masking)"),
    plain<&guardrail_settings::timeout>("timeout",
     "The time limit for a verdict, including the connection; at most 60s"),
    plain<&guardrail_settings::on_failure>("on_failure",
     "What happens to a request without a verdict: the gateway refuses the request (deny), or answers the request "
     "(allow)"),
    {"headers", secret_map, "{}", "Headers that are added to each request to the guardrail"},
    plain<&guardrail_settings::routes>("routes",
     "The routes whose requests the guardrail judges; if empty, all requests"),
};
// clang-format on

constexpr section_rows access_tables[] = {
    {section::access_key, access_key_rows}, {section::sealed_keys, sealed_keys_rows}, {section::jwt, jwt_rows},
    {section::key_limits, limit_rows}, {section::access_key, limit_rows}, {section::team, limit_rows},
    {section::route, limit_rows}, {section::guardrail, guardrail_rows}};

}  // namespace

std::span<const section_rows> access_rows() { return access_tables; }

}  // namespace photofinish::gateway
