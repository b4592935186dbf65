#include "gateway/access/jwt/jwt_claims.hpp"

#include "gateway/access/caller_names.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using std::chrono::sys_seconds;

constexpr std::size_t longest_subject = 256;
constexpr std::size_t most_words = 1'000;  // the maximum number of words in one claim; Entra sends at most 200 groups

refusal not_now(std::string why) { return {401, "this token " + std::move(why), "invalid_api_key"}; }
refusal not_here(std::string why) { return {403, "this token " + std::move(why), "token_not_permitted"}; }

// Returns a time in seconds since 1970. The claim may have a fraction. Returns no value if the claim is absent or
// invalid.
std::optional<sys_seconds> time_in(const json& claims, const char* name) {
  constexpr double latest = 253'402'300'799;  // the end of the year 9999
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  if (!(value >= 0 && value <= latest)) return std::nullopt;
  return sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(std::floor(value))));
}

// Returns the claim with that name. For the name `a.b`, also looks for the member b of the claim a. Returns null if
// there is no such claim.
const json* find_claim(const json& claims, std::string_view name) {
  if (const auto whole = claims.find(name); whole != claims.end()) return &*whole;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const auto outer = claims.find(name.substr(0, dot));
    if (outer == claims.end() || !outer->is_object()) continue;
    if (const json* inner = find_claim(*outer, name.substr(dot + 1))) return inner;
  }
  return nullptr;
}

// Reads a claim that is a list of texts, or a single text. Returns an empty list for other values.
std::vector<std::string> words_of_claim(const json* claim) {
  std::vector<std::string> words;
  if (claim == nullptr) return words;
  if (claim->is_string()) words.push_back(claim->get<std::string>());
  if (!claim->is_array()) return words;
  for (const json& each : *claim)
    if (each.is_string() && words.size() < most_words) words.push_back(each.get<std::string>());
  return words;
}

// Returns the words of a claim. OAuth scopes are a single text in which spaces separate the words.
std::vector<std::string> spaced_words(const json* claim) {
  if (claim == nullptr || !claim->is_string()) return words_of_claim(claim);
  const auto& text = claim->get_ref<const std::string&>();
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos && words.size() < most_words;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return words;
}

bool is_for(const jwt_issuer& by, const json& claims) {
  const auto named = claims.find("aud");
  if (named == claims.end()) return false;
  const std::vector<std::string> all = words_of_claim(&*named);
  return std::any_of(all.begin(), all.end(), [&by](const std::string& each) {
    return std::find(by.audiences.begin(), by.audiences.end(), each) != by.audiences.end();
  });
}

std::optional<refusal> problem_of_times(const json& claims, sys_seconds now) {
  const auto expires = time_in(claims, "exp");
  if (!expires) return not_now("has no `exp` claim, which states when a token expires");
  if (*expires + clock_leeway <= now) return not_now("has expired");
  for (const char* name : {"nbf", "iat"}) {
    if (!claims.contains(name)) continue;
    const auto from = time_in(claims, name);
    if (!from) return not_now("has a `" + std::string(name) + "` claim that is not a time");
    if (*from > now + clock_leeway) return not_now("is not valid yet: check the clock of this machine");
  }
  return std::nullopt;
}

// True if the name is an e-mail address that the issuer has not verified. Any person could have entered this address.
bool is_unchecked_address(const json& claims, const jwt_issuer& by) {
  const auto verified = claims.find("email_verified");
  return by.name_claim == "email" && verified != claims.end() && *verified != json(true) && *verified != json("true");
}

bool is_subject(const std::string& text) {
  return !text.empty() && text.size() <= longest_subject && std::none_of(text.begin(), text.end(), [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte < 0x20 || byte == 0x7F;
  });
}

// Returns the caller's team, which must be configured. Returns an empty name if the caller has no team and the issuer's
// settings require none.
std::variant<std::string, refusal> team_in(const json& claims, const jwt_issuer& by, const config& configured) {
  if (by.team_claim.empty()) return by.team;
  for (const std::string& each : words_of_claim(find_claim(claims, by.team_claim)))
    if (configured.access.teams.contains(each)) return each;
  if (!by.team.empty()) return by.team;
  return not_here("names none of this gateway's teams in its `" + by.team_claim + "` claim");
}

// Returns the routes that the caller may use. An empty list means that all routes are allowed.
std::variant<std::vector<std::string>, refusal> routes_in(const json& claims, const jwt_issuer& by,
                                                          const config& configured) {
  if (by.routes_claim.empty()) return std::vector<std::string>();
  std::vector<std::string> named = spaced_words(find_claim(claims, by.routes_claim));
  std::erase_if(named, [&configured](const std::string& each) { return !configured.routes.contains(each); });
  if (!named.empty()) return named;
  return not_here("names none of this gateway's routes in its `" + by.routes_claim + "` claim");
}

}  // namespace

std::optional<refusal> problem_of_validity(const json& claims, const jwt_issuer& by, sys_seconds now) {
  if (!is_for(by, claims)) return not_now("is intended for a different audience than this gateway");
  return problem_of_times(claims, now);
}

std::variant<token_caller, refusal> judge_claims(const json& claims, const jwt_issuer& by, const config& configured,
                                                 sys_seconds now) {
  if (auto refused = problem_of_validity(claims, by, now)) return *std::move(refused);
  const json* subject = find_claim(claims, by.name_claim);
  if (subject == nullptr || !subject->is_string() || !is_subject(subject->get_ref<const std::string&>()))
    return not_now("has no `" + by.name_claim + "` claim with a name of at "
                                                      "most " + std::to_string(longest_subject) +
                   " bytes");
  if (is_unchecked_address(claims, by)) return not_now("has an email address (`email`) that its issuer has not "
                                                       "verified");
  auto team = team_in(claims, by, configured);
  if (auto* refused = std::get_if<refusal>(&team)) return std::move(*refused);
  auto routes = routes_in(claims, by, configured);
  if (auto* refused = std::get_if<refusal>(&routes)) return std::move(*refused);
  auto made = std::make_shared<access_key>();
  made->team = std::get<std::string>(std::move(team));
  // The caller's name is unique. Names of configured keys cannot begin with '_'. Subjects of other teams or issuers
  // have different names, because an issuer's name contains no slash.
  made->name = caller_name("_jwt/" + by.name, made->team, subject->get_ref<const std::string&>());
  made->routes = std::get<std::vector<std::string>>(std::move(routes));
  made->limits = configured.access.key_defaults;
  return token_caller{std::move(made), *time_in(claims, "exp") + clock_leeway};
}

}  // namespace photofinish::gateway
