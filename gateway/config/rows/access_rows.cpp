// The settings of callers: keys, issuers of tokens, limits, guardrails.
#include "gateway/config/rows/setting_rows.hpp"

namespace photofinish::gateway {
namespace {

using enum setting_type;

// Above this rate, a token takes less than the nanosecond in which a bucket counts.
constexpr std::uint64_t most_a_minute = 60'000'000'000;

// clang-format off: a row is one or two lines
constexpr setting access_key_rows[] = {
    plain<&access_key::name>("name", "The metrics' client label; unique", {.is_required = true}),
    plain<&access_key::key>("key", "What the client sends"),
    {"key_hash", text_or_texts, "",
     "In place of the key or beside it: sha256: and the key's SHA-256 in hex; of several each opens"},
    plain<&access_key::cert_subject>("cert_subject",
     "In place of a key or beside it: a name in the client's certificate, as CN=alice,O=Example or URI:spiffe://…"),
    plain<&access_key::routes>("routes", "The routes it may use; with none, every route and direct targets"),
    plain<&access_key::team>("team", "The team whose limits it shares"),
    {"expires", text, "", "From then on it is refused: 2027-03-31, or 2027-03-31T18:00:00Z"},
    plain<&access_key::is_blocked>("blocked", "It is refused"),
    plain<&access_key::is_admin>("admin",
     "It opens the live page and the advice, and sees the races and the use of all callers"),
    {"by_route", map_of, "{}", "Further limits of it, on one route each", section::key_limits},
};

constexpr setting sealed_keys_rows[] = {
    {"secrets", secrets, "[]", "What opens them, at least 32 characters each; the first seals new ones"},
    plain<&sealed_key_settings::audience>("audience", "Which keys are taken: those that were sealed for it"),
    {"revoked", secret, "", "Ids of keys that are refused, between spaces or lines; file:PATH is watched"},
};

constexpr setting jwt_rows[] = {
    plain<&jwt_issuer::issuer>("issuer", "The claim iss of its tokens, to the letter", {.is_required = true}),
    plain<&jwt_issuer::audiences>("audience",
     "What the claim aud must name: one of these", {.type = text_or_texts, .is_required = true}),
    required_row({"jwks_url", text, "",
     "Where it shows its public keys, https; its openid-configuration names it as jwks_uri"}),
    plain<&jwt_issuer::jwks, &jwks_source::ca_file>("ca_file",
     "A PEM file of certificates trusted for that URL in addition to the system's"),
    plain<&jwt_issuer::name>("name", "How its callers are named, _jwt/NAME/TEAM/SUBJECT; by default the issuer's host"),
    plain<&jwt_issuer::name_claim>("name_claim", "The claim that says who calls"),
    plain<&jwt_issuer::team_claim>("team_claim",
     "The claim that names the team: a text or a list, whose first configured team counts"),
    plain<&jwt_issuer::team>("team", "The team where that claim names none; without it such a token is refused"),
    plain<&jwt_issuer::routes_claim>("routes_claim",
     "The claim that lists the routes its caller may use; without it, every route and direct targets"),
};

constexpr setting limit_rows[] = {
    plain<&limit_settings::requests_per_minute>("rpm_limit", "Requests a minute", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::tokens_per_minute>("tpm_limit",
     "Tokens a minute, of prompts and answers", {.least = 1, .most = most_a_minute}),
    plain<&limit_settings::parallel_requests>("max_parallel_requests", "Requests at a time", {.least = 1}),
    plain<&limit_settings::budget_nano_usd>("max_budget", "US dollars that may be spent in a window"),
    plain<&limit_settings::soft_budget_nano_usd>("soft_budget",
     "US dollars in a window from which on an alert is sent, once a window"),
    plain<&limit_settings::unpriced>("unpriced", "Targets without a known price: allow, or refuse, so that none runs "
     "that no budget counts; the strictest setting that applies counts"),
    {"budget_duration", text, "1mo",
     "How long a window is: 1mo, 1w or 1d of budget_timezone's calendar, or shorter, as 5h"},
};

constexpr setting guardrail_rows[] = {
    plain<&guardrail_settings::name>("name",
     "Its name in metrics, the log and refusals; unique; by default the URL's host"),
    required_row({"url", text, "", "Where it is, as http://pii.internal:8000; requests go to /request below it"}),
    plain<&guardrail_settings::mode>("mode", "Whether it judges while the race runs, whose answer waits for the "
     "verdict, or before any provider is asked, which masks need"),
    plain<&guardrail_settings::timeout>("timeout", "For the whole verdict, connecting included; at most 60s"),
    plain<&guardrail_settings::on_failure>("on_failure", "What becomes of a request that gets no verdict"),
    {"headers", secret_map, "{}", "Headers added to each request to it"},
    plain<&guardrail_settings::routes>("routes", "The routes whose requests it judges; with none, every request"),
};
// clang-format on

constexpr section_rows access_tables[] = {
    {section::access_key, access_key_rows}, {section::sealed_keys, sealed_keys_rows}, {section::jwt, jwt_rows},
    {section::key_limits, limit_rows}, {section::access_key, limit_rows}, {section::team, limit_rows},
    {section::route, limit_rows}, {section::guardrail, guardrail_rows}};

}  // namespace

std::span<const section_rows> access_rows() { return access_tables; }

}  // namespace photofinish::gateway
