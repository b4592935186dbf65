#include "gateway/commands/keys/inspect_token.hpp"

#include "gateway/access/jwt/jwt_claims.hpp"
#include "gateway/access/jwt/signed_token.hpp"
#include "gateway/http/response.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <variant>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_claim = 400;

bool is_claim_with_a_time(std::string_view name) {
  return name == "exp" || name == "nbf" || name == "iat" || name == "auth_time";
}

// Shows a claim in one line. The text is untrusted, because anyone may have written the token.
std::string shown_claim(const std::string& name, const nlohmann::json& value) {
  constexpr std::int64_t latest = 253'402'300'799;  // the end of the year 9999 in Unix time
  if (is_claim_with_a_time(name) && value.is_number_unsigned() && value.get<std::uint64_t>() <= latest)
    return http_date(std::chrono::sys_seconds(std::chrono::seconds(value.get<std::int64_t>())));
  using nlohmann::json;
  if (value.is_string()) return proxy::clean_text(value.get<std::string>(), longest_claim);
  return proxy::clean_text(value.dump(-1, ' ', false, json::error_handler_t::replace), longest_claim);
}

}  // namespace

int show_token(const std::string& text, const config& settings, std::chrono::sys_seconds now, std::ostream& out,
               std::ostream& err) {
  const auto read = read_signed_token(text);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    err << "error: this token " << *problem << "\n";
    return 1;
  }
  const signed_token& token = std::get<signed_token>(read);
  out << "algorithm: " << proxy::word_of(token.algorithm) << "\n";
  if (!token.key_id.empty()) out << "signed by key: " << proxy::clean_text(token.key_id, longest_claim) << "\n";
  for (const auto& [name, value] : token.claims.items())
    out << proxy::clean_text(name, longest_claim) << ": " << shown_claim(name, value) << "\n";
  const auto by = std::find_if(settings.access.jwt.begin(), settings.access.jwt.end(),
                               [&token](const jwt_issuer& each) { return each.issuer == token.issuer(); });
  if (by == settings.access.jwt.end()) {
    err << "error: the token's issuer is not listed in `jwt` of this configuration\n";
    return 1;
  }
  const auto judged = judge_claims(token.claims, *by, settings, now);
  if (const auto* refused = std::get_if<refusal>(&judged)) {
    err << "error: " << refused->message << " (" << refused->status << ")\n";
    return 1;
  }
  const access_key& who = *std::get<token_caller>(judged).key;
  out << "caller: " << proxy::shown_text(who.name) << "\n";
  for (const std::string& each : who.routes) out << "may use route: " << proxy::shown_text(each) << "\n";
  err << "the signature was not verified, because only a running gateway fetches the issuer's keys\n";
  return 0;
}

}  // namespace photofinish::gateway
