#include "gateway/commands/keys/reopen_budget.hpp"

#include "gateway/commands/keys/asked_store.hpp"
#include "gateway/commands/keys/key_store.hpp"
#include "gateway/limits/limit_claims.hpp"
#include "gateway/limits/soft_budgets.hpp"
#include "gateway/store/redis_url.hpp"
#include "gateway/store/spend_scripts.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>

namespace photofinish::gateway {
namespace {

// The kinds of budgets in the store. Budgets of the subjects of tokens (JWT) are missing here, because gateways do not
// share them.
constexpr std::array scopes{limit_scope::key, limit_scope::key_on_route, limit_scope::team, limit_scope::route};

bool is_scope(std::string_view word) {
  return std::any_of(scopes.begin(), scopes.end(), [word](limit_scope each) { return to_string(each) == word; });
}

// Returns the time at which a budget window ends, from the window's name. For example, "1mo.1767225600" ends at
// 1767225600.
std::chrono::sys_seconds end_of(std::string_view window) {
  const std::string_view digits = window.substr(std::min(window.size(), window.find('.') + 1));
  return std::chrono::sys_seconds(std::chrono::seconds(proxy::parse_leading_number<std::int64_t>(digits).value_or(0)));
}

// Returns the budget windows that have spending and have not ended. If the store cannot be read, prints the problem and
// returns nothing.
std::optional<std::set<std::string>> windows_of(const std::string& account, const spend_keys& keys, asked_store& store,
                                                std::chrono::sys_seconds now) {
  std::set<std::string> found;
  std::string cursor = "0";
  do {
    const auto page = store.ask({"SCAN", cursor, "MATCH", keys.pattern(account), "COUNT", "1000"});
    if (!page || page->kind != reply_kind::list || page->list.size() != 2) return std::nullopt;
    cursor = page->list[0].text;
    for (const store_reply& each : page->list[1].list) {
      const auto window = keys.window_in(each.text, account);
      if (window && end_of(*window) > now) found.insert(*window);
    }
  } while (cursor != "0" && !cursor.empty());
  return found;
}

}  // namespace

int reopen_budget(const reopened_budget& which, const store_settings& settings, std::chrono::sys_seconds now,
                  std::ostream& err) {
  using std::chrono::microseconds;
  constexpr std::chrono::hours kept_after_window{24};
  if (!is_scope(which.scope))
    return complain_to(err, "'" + which.scope + "' is not a scope: key, team, route or key_on_route",
                       keys_wrong_usage);
  if (const auto url = parse_redis_url(settings.url.reveal()); !url.place)
    return complain_to(err, "the store's URL: " + url.problem, keys_wrong_usage);
  const std::string account = which.scope + ":" + which.name;
  const spend_keys keys(settings.prefix);
  asked_store store(settings, err);
  const auto windows = windows_of(account, keys, store, now);
  if (!windows) return 1;
  if (windows->empty())
    return complain_to(err, "the store has no spent amount "
                            "for " + account + ": nothing was spent in this window, or gateways "
                                                                    "have not restored the amount yet (this takes up "
                                                                    "to 2 s)");
  for (const std::string& window : *windows) {
    const auto life = std::chrono::duration_cast<std::chrono::seconds>(end_of(window) - now + kept_after_window);
    const auto before = store.ask({"EVAL", std::string(reopen_script()), "2", keys.sum(account, window),
                                   keys.history(account, window), std::to_string(life.count()),
                                   std::to_string(microseconds(now.time_since_epoch()).count()), "reopened"});
    if (!before) return 1;
    err << "the budget of " << proxy::shown_text(account)
        << " is open again: " << dollars_text(before->number().value_or(0))
        << " of spending no longer counts; gateways apply the change within 1 s\n";
  }
  return 0;
}

}  // namespace photofinish::gateway
