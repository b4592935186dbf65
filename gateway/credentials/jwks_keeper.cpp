#include "gateway/credentials/jwks_keeper.hpp"

#include "gateway/credentials/credential_rules.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/providers/url.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds key_set_patience{10};
constexpr std::size_t longest_trouble = 300;

std::variant<key_set, std::string> read_answer(const proxy::result<credential_answer>& given) {
  if (!given) return given.error().detail;
  if (given->status != 200) return "status " + std::to_string(given->status);
  return read_key_set(given->body);
}

}  // namespace

void jwks_keeper::adopt(const config& settings) {
  std::vector<user> users;
  for (const jwt_issuer& each : settings.access.jwt) users.push_back({each.jwks, each.name});
  keep(users);
}

void jwks_keeper::ask_again(const jwks_source& source) {
  const auto item = find(source);
  if (!item || item->failures > 0 || item->held->tries == 0 || item->is_fetching) return;
  const proxy::instant when = std::max(now(), item->for_unknown_keys.next());
  // A fetch is already scheduled for an earlier time.
  if (item->next_fetch.is_armed() && item->next_fetch.when() <= when) return;
  item->for_unknown_keys.spend(when);
  if (when <= now()) fetch(item);
  else item->next_fetch.arm(when);
}

asio::awaitable<proxy::result<credential_answer>> jwks_keeper::load(const jwks_source& from, credential_io& io) {
  return io.ask({.at = from.at,
                 .head = {.method = "GET", .path = from.path, .fields = {{"accept", "application/json"}}},
                 .patience = key_set_patience, .via = from.via, .ca_file = from.ca_file});
}

std::optional<refresh_times> jwks_keeper::accept(entry& item, held_key_set& next,
                                                 proxy::result<credential_answer> given) {
  next.tried_at = now();
  next.next_fetch_at = item.for_unknown_keys.next();
  auto read = read_answer(given);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    next.trouble = proxy::clean_text(*problem, longest_trouble);
    if (next.trouble != item.held->trouble)  // avoids logging the same problem every minute
      spdlog::warn("the keys of the identity provider '{}' cannot be fetched from {}{}: {}{}", item.users.front(),
                   proxy::to_string(next.source.at), next.source.path.substr(0, next.source.path.find('?')),
                   next.trouble,
                   next.keys ? "; the keys fetched earlier stay valid for 24 h"
                             : "; callers with tokens of this identity provider get status 503");
    return std::nullopt;
  }
  if (!next.keys || !next.trouble.empty())
    spdlog::info("keys of the identity provider '{}' fetched: {}", item.users.front(), std::get<key_set>(read).size());
  // If the keys have not changed, the existing object is kept, so that tokens do not have to be verified again.
  if (!next.keys || given->body != item.body)
    next.keys = std::make_shared<const key_set>(std::get<key_set>(std::move(read)));
  item.body = std::move(given->body);
  item.came_at = now();
  next.began_at = item.began_at;
  next.trouble.clear();
  return refresh_times{less_a_tenth(between_key_sets, chance()), key_set_life};
}

void jwks_keeper::end_value(entry& item, held_key_set& next) {
  spdlog::error("the keys of the identity provider '{}' could not be fetched for 24 h: they are no longer valid, and "
                "callers with tokens of this identity provider get status 503", item.users.front());
  next.keys = nullptr;
}

std::vector<jwks_keeper::age> jwks_keeper::ages() const {
  std::vector<age> all;
  for (const auto& each : entries()) {
    all.push_back({each->users.front(), std::nullopt});
    if (each->came_at) all.back().since = now() - *each->came_at;
  }
  return all;
}

}  // namespace photofinish::gateway
