// Reads arbitrary bytes as a token from an identity provider, and as the identity provider's key set. Only a caller with a valid signature
// is admitted, and no error message contains the token.
#include "gateway/access/jwt/jwt_claims.hpp"
#include "gateway/access/jwt/key_set.hpp"
#include "gateway/access/jwt/signed_token.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/gateway/token_issuer.hpp"

#include <string>
#include <variant>

namespace {

using namespace photofinish;
using fuzz::require;

struct world {
  testing::token_issuer issuer{"EdDSA", "k1"};
  gateway::key_set keys = std::get<gateway::key_set>(gateway::read_key_set(issuer.key_set()));
  gateway::jwt_issuer by{.name = "sso", .issuer = "i", .audiences = {"a"}, .team_claim = "groups"};
  gateway::config settings;
  world() { settings.access.teams["search"] = {}; }
};

void check_claims(const world& here, const nlohmann::json& claims) {
  const auto judged = gateway::judge_claims(claims, here.by, here.settings, std::chrono::sys_seconds{});
  if (const auto* refused = std::get_if<gateway::refusal>(&judged))
    return require(refused->status == 401 || refused->status == 403, "a refusal is one");
  const auto& who = std::get<gateway::token_caller>(judged);
  require(who.key->team == "search" && who.key->name.starts_with("_jwt/sso/search/"), "a caller has a team and its name");
  require(who.key->name.find_first_of("\r\n") == std::string::npos, "a name is one line");
}

// Returns the error text for a token with this header, or an empty string if the token is valid.
std::string complaint_of(const world& here, const std::string& header) {
  const auto read = gateway::read_signed_token(here.issuer.signed_parts(header, R"({"sub":"s"})"));
  const auto* problem = std::get_if<std::string>(&read);
  return problem == nullptr ? std::string() : *problem;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const world here;
  const std::string_view text = fuzz::as_text(data, size);
  const auto keys = gateway::read_key_set(text);
  if (const auto* all = std::get_if<gateway::key_set>(&keys)) require(!all->empty() && all->size() <= 64, "a set has keys");

  const auto read = gateway::read_signed_token(text);
  if (const auto* token = std::get_if<gateway::signed_token>(&read)) {
    require(!gateway::is_signed_by(*token, here.keys[0]), "no input has the key");
    check_claims(here, token->claims);
  }

  // Uses the fuzzed bytes twice: as the claims of a correctly signed token, and as a token's header.
  const auto own = gateway::read_signed_token(here.issuer.signed_parts(R"({"alg":"EdDSA","kid":"k1"})", std::string(text)));
  if (const auto* token = std::get_if<gateway::signed_token>(&own)) {
    require(gateway::is_signed_by(*token, here.keys[0]), "what was signed holds");
    check_claims(here, token->claims);
  }
  const std::string problem = complaint_of(here, std::string(text));
  if (size < 12 || problem.find(text) == std::string::npos) return 0;
  // A message may contain the token's text by chance. This is the case if a different token causes the same message.
  std::string other(text);
  other.back() = static_cast<char>(other.back() ^ 1);
  require(complaint_of(here, other) == problem, "no complaint repeats a token");
  return 0;
}
