// Table rows of the settings about callers: access keys, issuers of tokens, limits and guardrails.
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
     "The text sha256: and the key's SHA-256 in hex, in place of key or in addition to it; a list has the hashes of "
     "several keys"},
    plain<&access_key::cert_subject>("cert_subject",
     "A name in the client's certificate, in place of a key or in addition to it, for example CN=alice,O=Example or "
     "URI:spiffe://…"),
    plain<&access_key::routes>("routes", "The routes that the key may use; if empty, all routes and direct targets"),
    plain<&access_key::team>("team", "The team whose limits the key shares"),
    {"expires", text, "", "The key is refused from this time on: 2027-03-31, or 2027-03-31T18:00:00Z"},
    plain<&access_key::is_blocked>("blocked", "The key is refused"),
    plain<&access_key::is_admin>("admin",
     "The key opens the live page and the advice, and may read the races and the usage of all callers"),
    {"by_route", map_of, "{}", "Additional limits of the key for single routes", section::key_limits},
};

constexpr setting sealed_keys_rows[] = {
    {"secrets", secrets, "[]",
     "Secrets that open sealed keys, at least 32 characters each; the first one seals new keys"},
    plain<&sealed_key_settings::audience>("audience", "Only keys that were sealed for this audience are accepted"),
    {"revoked", secret, "", "Ids of keys that are refused, separated by spaces or line breaks; file:PATH is watched"},
};

constexpr setting jwt_rows[] = {
    plain<&jwt_issuer::issuer>("issuer",
     "The exact value of the claim iss in the issuer's tokens", {.is_required = true}),
    plain<&jwt_issuer::audiences>("audience",
     "The claim aud must contain one of these values", {.type = text_or_texts, .is_required = true}),
    required_row({"jwks_url", text, "",
     "The https URL of the issuer's public keys, which its openid-configuration contains as jwks_uri"}),
    plain<&jwt_issuer::jwks, &jwks_source::ca_file>("ca_file",
     "A PEM file of certificates that are trusted for that URL in addition to the system's"),
    plain<&jwt_issuer::name>("name",
     "The issuer's name in the names of its callers, _jwt/NAME/TEAM/SUBJECT; by default the issuer's host"),
    plain<&jwt_issuer::name_claim>("name_claim", "The claim that contains the caller's name"),
    plain<&jwt_issuer::team_claim>("team_claim",
     "The claim that contains the team: a text, or a list, of which the first configured team counts"),
    plain<&jwt_issuer::team>("team", "The team if the claim names none; without this setting, such a token is refused"),
    plain<&jwt_issuer::routes_claim>("routes_claim",
     "The claim that lists the routes that the caller may use; without this setting, all routes and direct targets"),
};

constexpr setting limit_rows[] = {
    plain<&limit_settings::requests_per_minute>("rpm_limit",
     "Requests per minute", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::tokens_per_minute>("tpm_limit",
     "Tokens per minute, of prompts and answers", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::parallel_requests>("max_parallel_requests",
     "Requests that run at the same time", {.least = 1}),
    plain<&limit_settings::budget_nano_usd>("max_budget", "US dollars that may be spent in a budget window"),
    plain<&limit_settings::soft_budget_nano_usd>("soft_budget",
     "If this many US dollars are spent in a budget window, an alert is sent, once per window"),
    plain<&limit_settings::unpriced>("unpriced",
     "Whether requests may use targets without a known price, which no budget counts: allow or refuse; the strictest "
     "setting that applies counts"),
    {"budget_duration", text, "1mo",
     "The length of a budget window: 1mo, 1w or 1d in the calendar of budget_timezone, or a shorter time such as 5h"},
};

constexpr setting guardrail_rows[] = {
    plain<&guardrail_settings::name>("name",
     "The guardrail's unique name in metrics, the log and refusals; by default the URL's host"),
    required_row({"url", text, "",
     "The guardrail's URL, for example http://pii.internal:8000; requests go to the path /request below it"}),
    plain<&guardrail_settings::mode>("mode",
     "When the guardrail judges: parallel (during the race, whose answer waits for the verdict) or before (before any "
     "provider gets the prompt, which masks need)"),
    plain<&guardrail_settings::timeout>("timeout",
     "The time limit for a verdict, including the connection; at most 60s"),
    plain<&guardrail_settings::on_failure>("on_failure",
     "What happens to a request without a verdict: deny refuses it, allow answers it"),
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
