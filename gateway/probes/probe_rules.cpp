#include "gateway/probes/probe_rules.hpp"

#include "gateway/records/price_book.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace photofinish::gateway {
namespace {

bool has_key(const proxy::provider& at) { return at.has_own_key() || at.key.is_optional; }

bool has_bounded_cost(const config& settings, const target_name& target, const proxy::provider& at) {
  return proxy::is_loopback(at.url.host) || prices_of(settings, target) != nullptr;
}

}  // namespace

probe_plan plan_probes(const config& settings) {
  probe_plan made;
  if (!settings.probes) return made;
  std::set<std::string> seen;
  for (const auto& [name, route] : settings.routes)
    (void)names_target(route, [&](const target_name& target) {
      const auto at = settings.providers.find(target.provider);
      if (at == settings.providers.end() || !has_key(at->second) || !at->second.behaves.append_only) return false;
      if (!seen.insert(target.text()).second) return false;
      if (!has_bounded_cost(settings, target, at->second)) return made.unpriced.push_back(target.text()), false;
      for (const std::size_t size : settings.probes->input_tokens)
        if (made.pairs.size() < most_pairs) made.pairs.push_back({target, size});
      return false;
    });
  return made;
}

probe_verdict judge(const probe_surroundings& now) {
  if (now.clients_samples >= enough_samples) return probe_verdict::not_needed;
  const bool is_gateway_busy = now.requests > most_requests_a_worker * now.workers;
  if (is_gateway_busy || now.at_target > 0 || now.at_provider > most_beside || now.is_limited)
    return probe_verdict::later;
  return probe_verdict::send;
}

std::int64_t expected_nano_usd(const proxy::model_prices* prices, std::size_t input_tokens, std::size_t max_output,
                               std::chrono::sys_seconds when) {
  constexpr double margin = 1.1;
  if (prices == nullptr) return 0;
  return nano_usd_of(margin * proxy::cost_usd(*prices, {.input = input_tokens, .output = max_output}, when));
}

std::int64_t nano_usd_of(double usd) {
  constexpr double nano = 1e9, most = 1e18;
  return static_cast<std::int64_t>(std::ceil(std::clamp(usd * nano, 0.0, most)));
}

bool may_be_billed(const proxy::failure& why) {
  switch (why.kind) {
    case proxy::failure_kind::timeout:
    case proxy::failure_kind::stall:
    case proxy::failure_kind::bad_stream:
    case proxy::failure_kind::cancelled: return true;
    default: return why.status == 0 && why.kind == proxy::failure_kind::server_error;
  }
}

}  // namespace photofinish::gateway
