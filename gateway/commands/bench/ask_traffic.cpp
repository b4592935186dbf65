#include "gateway/commands/bench/ask_traffic.hpp"

#include "gateway/bench/load/endpoint.hpp"
#include "gateway/bench/scorecard/traffic_forecast.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/fetch.hpp"
#include "proxy/providers/url.hpp"

#include <array>
#include <chrono>
#include <utility>
#include <variant>

namespace photofinish::gateway {

using namespace bench;

namespace {

constexpr std::chrono::seconds patience{15};
constexpr std::size_t max_page_bytes = 16u << 20;

traffic_result trouble(const std::string& url, const std::string& what) {
  return {std::nullopt, "--forecast: " + url + " " + what};
}

}  // namespace

traffic_result ask_traffic(const bench_flags& flags) {
  if (flags.forecast_url.empty()) return {};
  const environment machine = process_environment();
  std::string key;
  if (!flags.forecast_key_variable.empty()) {
    const auto value = machine.variable(flags.forecast_key_variable);
    if (!value)
      return {std::nullopt, "--forecast-key-env: the variable " + flags.forecast_key_variable + " is not set"};
    key = *value;
  }
  auto found = find_endpoint(flags.forecast_url, key, machine);
  if (auto* problem = std::get_if<std::string>(&found)) return {std::nullopt, "--forecast: " + *problem};
  const endpoint gateway = std::get<endpoint>(std::move(found));
  const std::string url = proxy::to_string(gateway.provider.url);
  constexpr std::array<proxy::header_field, 1> own_fields{{{"accept", "application/json"}}};
  proxy::fetch_request request;
  // Its default is the last 30 days.
  request.head = proxy::provider_head(gateway.provider, gateway.key, "/usage?group_by=model", own_fields);
  request.head.method = "GET";
  request.patience = patience;
  request.max_body = max_page_bytes;
  const auto answer = proxy::fetch_alone(gateway.provider.url, std::move(request));
  if (!answer) return trouble(url, "cannot be asked: " + answer.error().detail);
  if (answer->head.status == 401 || answer->head.status == 403)
    return trouble(url, "refuses the key; give one with --forecast-key-env");
  if (answer->head.status != 200)
    return trouble(url, "answers HTTP " + std::to_string(answer->head.status) + " to GET /v1/usage");
  auto traffic = read_traffic(answer->body, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  if (const auto* problem = std::get_if<std::string>(&traffic)) return trouble(url, *problem);
  return {std::get<own_traffic>(traffic), {}};
}

}  // namespace photofinish::gateway
