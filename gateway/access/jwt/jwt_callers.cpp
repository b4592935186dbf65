#include "gateway/access/jwt/jwt_callers.hpp"

#include <algorithm>

namespace photofinish::gateway {

const std::string_view unknown_key_code = "identity_key_unknown";

namespace {

constexpr std::chrono::milliseconds soon{1'000};
constexpr std::size_t longest_key_id = 256;
// The shortest time between two messages in which a worker requests newer keys. jwks_keeper has a separate limit for
// the actual fetches.
constexpr std::chrono::seconds between_askings{1};

refusal wrong_token(const std::string& why) { return {401, "this token " + why, "invalid_api_key"}; }

refusal keys_missing(std::string why, std::chrono::milliseconds retry_after = soon) {
  return {503, std::move(why), "identity_keys_unavailable", retry_after};
}

refusal key_not_shown() {
  return wrong_token(
      "is signed by a key that its issuer does not publish, or that this gateway does not accept. Accepted keys are "
      "RS256 (at least 2048 bits), ES256 and EdDSA");
}

bool has_same_keys(const jwks_board& one, const jwks_board& other) {
  const auto are_same = [](const auto& each, const auto& its) {
    return each->keys == its->keys && each->source == its->source;
  };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), are_same);
}

// Returns the token that identifies the caller, or null. A token in x-photofinish-key has priority over the bearer
// token.
std::optional<proxy::secret>* token_among(presented_keys& presented, const config& configured) {
  for (auto* brought : {&presented.access_key, &presented.bearer}) {
    if (!*brought) continue;
    if (configured.access.keys.find(**brought) != nullptr) return nullptr;
    if (is_jwt((*brought)->reveal())) return brought;
  }
  return nullptr;
}

}  // namespace

void jwt_callers::adopt(std::shared_ptr<const jwks_board> board) {
  const bool is_change = !board_ || !board || !has_same_keys(*board_, *board);
  board_ = std::move(board);
  if (is_change) known_.clear();
}

void jwt_callers::forget_all() {
  known_.clear();
  unknown_.clear();
  asked_at_.clear();
}

bool jwt_callers::is_ready(const config& configured) {
  if (is_ready_) return true;
  const auto is_tried = [this](const jwt_issuer& each) {
    const held_key_set* held = find(each.jwks);
    return held != nullptr && held->tries > 0;
  };
  is_ready_ = std::all_of(configured.access.jwt.begin(), configured.access.jwt.end(), is_tried);
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
  if (configured->access.jwt.empty()) return std::nullopt;
  std::optional<proxy::secret>* brought = token_among(presented, *configured);
  if (brought == nullptr) return std::nullopt;
  const proxy::secret token = **brought;
  if (presented.bearer == token) presented.bearer.reset();
  brought->reset();
  if (settings_ != configured) {
    settings_ = configured;
    forget_all();
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
    // If there are too many verified tokens, forgets all of them. Verifying tokens again costs at most half a
    // millisecond per second.
    if (known_.size() >= most_known) known_.clear();
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
  const auto by = std::find_if(configured.access.jwt.begin(), configured.access.jwt.end(),
                               [&issuer](const jwt_issuer& each) { return each.issuer == issuer; });
  if (by == configured.access.jwt.end())
    return wrong_token("is from an issuer (`iss`) that this gateway does not accept");
  auto key = key_for_token(token, *by, now, wall_now);
  if (auto* refused = std::get_if<refusal>(&key)) return std::move(*refused);
  if (!is_signed_by(token, *std::get<const verification_key*>(key))) {
    if (const held_key_set* held = find(by->jwks); held != nullptr && now - held->tried_at >= unknown_key_memory)
      ask_for_newer_keys(*held, now);
    return wrong_token("was changed, or was not signed by its issuer");
  }
  return judge_claims(token.claims, *by, configured, wall_now);
}

std::variant<const verification_key*, refusal> jwt_callers::key_for_token(const signed_token& token,
                                                                          const jwt_issuer& by, proxy::instant now,
                                                                          std::chrono::sys_seconds wall_now) {
  const held_key_set* held = find(by.jwks);
  if (held == nullptr || (!held->keys && held->trouble.empty()))
    return keys_missing("the keys of this token's issuer have not been fetched yet");
  if (!held->keys) return keys_missing("the keys of this token's issuer cannot be fetched; the gateway's log says why");
  if (const verification_key* key = find_key(*held->keys, token.key_id, token.algorithm)) return key;
  if (auto refused = problem_of_validity(token.claims, by, wall_now)) return *std::move(refused);
  return unknown_key(token, by, *held, now);
}

// Refuses a token whose key id is unknown. The issuer may already sign with a new key that the gateway has not fetched
// yet. In that case the client retries after the next fetch, and is accepted. A key id is invalid if the gateway has
// fetched the issuer's keys since it first saw the id, and the id was not among them.
refusal jwt_callers::unknown_key(const signed_token& token, const jwt_issuer& by, const held_key_set& held,
                                 proxy::instant now) {
  if (token.key_id.size() > longest_key_id) return key_not_shown();
  if (!held.trouble.empty())
    return keys_missing(
        "this token is signed by an unknown key, and newer keys of its issuer cannot be fetched; the gateway's log "
        "says why");
  std::string name = by.name + '/' + std::to_string(static_cast<int>(token.algorithm)) + '/' + token.key_id;
  if (unknown_.size() >= most_unknown_keys && !unknown_.contains(name)) unknown_.clear();
  proxy::instant& first_seen = unknown_.try_emplace(std::move(name), now).first->second;
  if (now - first_seen >= unknown_key_memory) first_seen = now;
  else if (held.began_at > first_seen) return key_not_shown();
  ask_for_newer_keys(held, now);
  const auto until_fetch = std::chrono::ceil<std::chrono::seconds>(held.next_fetch_at - now);
  refusal later = keys_missing("this token is signed by an unknown key: the gateway is fetching its issuer's keys",
                               std::max(until_fetch, std::chrono::seconds(0)) + soon);
  later.code = unknown_key_code;
  return later;
}

// Requests newer keys. The pause here only limits the number of messages to the other thread. The other thread limits
// the actual fetches.
void jwt_callers::ask_for_newer_keys(const held_key_set& held, proxy::instant now) {
  if (!held.trouble.empty() || !ask_again_) return;
  const auto is_it = [&held](const auto& each) { return each.first == held.source; };
  const auto asked = std::find_if(asked_at_.begin(), asked_at_.end(), is_it);
  if (asked != asked_at_.end() && now - asked->second < between_askings) return;
  if (asked != asked_at_.end()) asked->second = now;
  else asked_at_.emplace_back(held.source, now);
  ask_again_(held.source);
}

}  // namespace photofinish::gateway
