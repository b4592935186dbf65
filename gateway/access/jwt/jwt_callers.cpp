#include "gateway/access/jwt/jwt_callers.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::milliseconds soon{1'000};
constexpr std::chrono::seconds between_askings{1};  // of one worker: the keeper has its own rule

refusal wrong_token(const std::string& why) { return {401, "this token " + why, "invalid_api_key"}; }

refusal keys_missing(std::string why) { return {503, std::move(why), "identity_keys_unavailable", soon}; }

// The token among the presented that counts; null: there is none. x-photofinish-key comes before the bearer.
std::optional<proxy::secret>* token_among(presented_keys& presented, const config& configured) {
  for (auto* brought : {&presented.access_key, &presented.bearer}) {
    if (!*brought) continue;
    if (configured.access_keys.find(**brought) != nullptr) return nullptr;
    if (is_jwt((*brought)->reveal())) return brought;
  }
  return nullptr;
}

}  // namespace

void jwt_callers::adopt(std::shared_ptr<const jwks_board> board) {
  board_ = std::move(board);
  known_.clear();
}

bool jwt_callers::is_ready(const config& configured) {
  if (is_ready_) return true;
  const auto is_tried = [this](const jwt_issuer& each) {
    const held_key_set* held = find(each.jwks);
    return held != nullptr && held->tries > 0;
  };
  is_ready_ = std::all_of(configured.jwt.begin(), configured.jwt.end(), is_tried);
  return is_ready_;
}

const held_key_set* jwt_callers::find(const jwks_source& source) const {
  if (!board_) return nullptr;
  const auto is_it = [&source](const auto& each) { return each->source == source; };
  const auto found = std::find_if(board_->begin(), board_->end(), is_it);
  return found == board_->end() ? nullptr : found->get();
}

std::optional<std::variant<caller, refusal>> jwt_callers::identify(presented_keys& presented,
                                                                   const std::shared_ptr<const config>& configured,
                                                                   proxy::instant now,
                                                                   std::chrono::sys_seconds wall_now) {
  if (configured->jwt.empty()) return std::nullopt;
  std::optional<proxy::secret>* brought = token_among(presented, *configured);
  if (brought == nullptr) return std::nullopt;
  const proxy::secret token = **brought;
  if (presented.bearer == token) presented.bearer.reset();
  brought->reset();
  if (settings_ != configured) {
    settings_ = configured;
    known_.clear();
  }
  const key_digest presented_digest = digest_of_key(token.reveal());
  auto found = known_.find(presented_digest);
  if (found != known_.end() && wall_now >= found->second.until) {
    known_.erase(found);
    found = known_.end();
  }
  if (found == known_.end()) {
    verdict judged = verify(token.reveal(), *configured, now, wall_now);
    if (auto* refused = std::get_if<refusal>(&judged)) return std::move(*refused);
    if (known_.size() >= most_known) known_.clear();  // they are verified again: half a millisecond a second, at most
    found = known_.emplace(presented_digest, std::get<token_caller>(std::move(judged))).first;
  }
  const std::shared_ptr<const access_key>& who = found->second.key;
  return caller{who.get(), who, jwt_label};
}

jwt_callers::verdict jwt_callers::verify(std::string_view text, const config& configured, proxy::instant now,
                                         std::chrono::sys_seconds wall_now) {
  auto read = read_signed_token(text);
  if (const auto* problem = std::get_if<std::string>(&read)) return wrong_token(*problem);
  const signed_token& token = std::get<signed_token>(read);
  const std::string issuer = token.issuer();
  const auto by = std::find_if(configured.jwt.begin(), configured.jwt.end(),
                               [&issuer](const jwt_issuer& each) { return each.issuer == issuer; });
  if (by == configured.jwt.end()) return wrong_token("is of an issuer (`iss`) that this gateway does not take");
  auto key = key_for_token(token, *by, now);
  if (auto* refused = std::get_if<refusal>(&key)) return std::move(*refused);
  if (!is_signed_by(token, *std::get<const verification_key*>(key))) {
    if (const held_key_set* held = find(by->jwks)) ask_for_newer_keys(*held, now);
    return wrong_token("was changed, or was not signed by its issuer");
  }
  return judge_claims(token.claims, *by, configured, wall_now);
}

std::variant<const verification_key*, refusal> jwt_callers::key_for_token(const signed_token& token,
                                                                          const jwt_issuer& by, proxy::instant now) {
  const held_key_set* held = find(by.jwks);
  if (held == nullptr || (!held->keys && held->trouble.empty()))
    return keys_missing("the keys of this token's issuer have not come yet");
  if (!held->keys) return keys_missing("the keys of this token's issuer cannot be fetched; the gateway's log says why");
  if (const verification_key* key = find_key(*held->keys, token.key_id, token.algorithm)) return key;
  return unknown_key(*held, now);
}

// A key that has just begun to sign comes with the next fetch, and the client's own repetition finds it.
refusal jwt_callers::unknown_key(const held_key_set& held, proxy::instant now) {
  if (!held.trouble.empty())
    return keys_missing("this token is signed by a key that is not known, and newer keys of its issuer cannot be "
                        "fetched; the gateway's log says why");
  if (now - held.tried_at < between_unknown_keys)
    return wrong_token("is signed by a key that its issuer does not show, or by one that does not count: RS256 from "
                       "2048 bits, ES256 and EdDSA do");
  ask_for_newer_keys(held, now);
  return keys_missing("this token is signed by a key that is not known: the keys of its issuer are being fetched");
}

// Tokens with invented ids or signatures cause one fetch in a minute, whatever their number.
void jwt_callers::ask_for_newer_keys(const held_key_set& held, proxy::instant now) {
  if (!held.trouble.empty() || now - held.tried_at < between_unknown_keys) return;
  if (!ask_again_ || (asked_at_ && now - *asked_at_ < between_askings)) return;
  asked_at_ = now;
  ask_again_(held.source);
}

}  // namespace photofinish::gateway
