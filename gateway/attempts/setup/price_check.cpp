#include "gateway/attempts/setup/price_check.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_tier.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::gateway {
namespace {

bool refuses(const limit_settings& limits) { return limits.unpriced == unpriced_use::refuse; }

// Returns the name of the price tier as the client wrote it. In the Messages API, the tier is in the member `speed`.
std::string asked_tier(const parsed_request& asked) {
  if (!asked.body || asked.body->is_form()) return {};
  const bool is_message = asked.format == proxy::wire_format::anthropic_messages;
  const std::string_view value = asked.body->value_of(is_message ? "speed" : "service_tier");
  return proxy::json_is_string(value) ? proxy::json_unescape(proxy::json_raw_string(value)) : std::string();
}

bool team_refuses(const access_settings& access, const std::string& team) {
  const auto limits = access.teams.find(team);
  return limits != access.teams.end() && refuses(limits->second);
}

bool refuses_on(const access_key& key, const route* from) {
  if (from == nullptr || key.by_route.empty()) return false;
  const auto limits = key.by_route.find(from->name);
  return limits != key.by_route.end() && refuses(limits->second);
}

}  // namespace

bool refuses_unpriced(const config& settings, const caller& who, const route* from) {
  if (settings.access.unpriced == unpriced_use::refuse || (from != nullptr && refuses(from->limits))) return true;
  if (who.key == nullptr) return false;
  const access_settings& access = settings.access;
  return refuses(access.key_defaults) || refuses(who.key->limits) || refuses_on(*who.key, from) ||
         (access.has_strict_team && team_refuses(access, who.key->team));
}

std::string_view price_check::missing_tier(const race_candidate& each) const {
  if (!is_strict_) return {};
  const std::string asked = each.target.tier ? std::string() : asked_tier(asked_);
  const proxy::price_tier tier = tier_for_model(*each.provider, each.target.sent_model(), asked, each.target.tier).tier;
  return has_price_(each.target, tier) ? std::string_view{} : to_string(tier);
}

api_error price_unknown(std::string_view model, const std::vector<unpriced_target>& targets) {
  constexpr std::size_t most_named = 10;
  std::string message = "no target of " + in_quotes(model) +
                        " has a known price, and `unpriced: refuse` forbids targets without a price: ";
  for (std::size_t place = 0; place < std::min(targets.size(), most_named); ++place)
    message.append(place == 0 ? "" : ", ")
        .append(in_quotes(targets[place].target.text()))
        .append(" (tier " + targets[place].tier + ")");
  if (targets.size() > most_named) message += " and " + std::to_string(targets.size() - most_named) + " more";
  const unpriced_target& first = targets.front();
  const bool is_usual = first.tier == to_string(proxy::price_tier::standard);
  const std::string name = std::string(first.target.sent_model()) + (is_usual ? "" : "@" + first.tier);
  message += "; add to providers." + first.target.provider + ".prices a row " + in_quotes(name) +
             " with the prices of input and output in USD per million tokens, for example 3/15";
  return bad_request(std::move(message), "model", "price_unknown");
}

}  // namespace photofinish::gateway
