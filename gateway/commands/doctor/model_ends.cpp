#include "gateway/commands/doctor/model_ends.hpp"

#include "proxy/dialects/provider_head.hpp"
#include "proxy/fetch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_list = 4u << 20;
constexpr std::string_view date_form = "dddd-dd-dd";

// True if the text begins with a date. A time of day may follow.
bool is_dated(std::string_view text) {
  if (text.size() < date_form.size()) return false;
  return std::equal(date_form.begin(), date_form.end(), text.begin(), [](char form, char given) {
    return form == 'd' ? given >= '0' && given <= '9' : given == form;
  });
}

}  // namespace

model_ends read_model_ends(std::string_view json) {
  model_ends ends;
  const auto list = nlohmann::json::parse(json, nullptr, false);
  if (!list.is_object() || !list.contains("data") || !list["data"].is_array()) return ends;
  for (const auto& each : list["data"]) {
    if (!each.is_object()) continue;
    const auto id = each.find("id"), date = each.find("shutdown_date");
    if (id == each.end() || date == each.end() || !id->is_string() || !date->is_string()) continue;
    const auto text = date->get<std::string>();
    if (is_dated(text)) ends.emplace(id->get<std::string>(), text.substr(0, date_form.size()));
  }
  return ends;
}

bool may_list_ends(const race_candidate& tried) {
  return tried.provider->preset == "openai" && tried.provider->dialect == "openai" && !tried.key.key.empty();
}

boost::asio::awaitable<model_ends> ask_model_ends(proxy::outbound& over, race_candidate tried,
                                                  std::chrono::milliseconds patience) {
  proxy::fetch_request request;
  constexpr std::array<proxy::header_field, 1> own{{{"accept", "application/json"}}};
  request.head = proxy::provider_head(*tried.provider, tried.key.key, "/models", own);
  request.head.method = "GET";
  request.patience = patience;
  request.max_body = longest_list;
  proxy::fetch call(over, *tried.provider);
  const auto answer = co_await call.run(std::move(request));
  const bool is_list = answer && answer->head.status == 200 && !answer->broken;
  co_return is_list ? read_model_ends(answer->body) : model_ends{};
}

}  // namespace photofinish::gateway
