#include "gateway/bench/load/probe.hpp"

#include "gateway/bench/load/one_request.hpp"
#include "gateway/config/yaml/near_name.hpp"
#include "gateway/config/yaml/units.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/url.hpp"

#include <simdjson.h>

#include <algorithm>
#include <utility>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_list_bytes = 16u << 20;

std::string key_hint(const endpoint& to) {
  if (!to.key.empty()) return "; the key came from " + to.key_origin;
  std::string hint = "; no key was sent: give a key with --api-key-env VARIABLE or --api-key";
  if (!to.provider.key.variable.empty()) hint += ", or set " + to.provider.key.variable;
  return hint;
}

std::string model_hint(const std::string& model, const std::vector<std::string>& models) {
  if (models.empty() || std::find(models.begin(), models.end(), model) != models.end()) return {};
  constexpr std::ptrdiff_t few = 5;
  std::vector<std::string> named = nearest_few(model, models);
  const bool is_near = !named.empty();
  if (!is_near) named.assign(models.begin(), models.begin() + std::min(few, std::ssize(models)));
  std::string hint = is_near ? "; did you mean " : "; it lists ";
  for (const std::string& each : named) hint += "'" + each + "'" + (each == named.back() ? "" : ", ");
  if (is_near) hint += "?";
  return models.size() > named.size() ? hint + " (of " + std::to_string(models.size()) + " models)" : hint;
}

}  // namespace

models_query::models_query(proxy::outbound& over, const endpoint& to, std::chrono::microseconds timeout)
    : to_(to), timeout_(timeout), call_(over, to.provider) {}

asio::awaitable<proxy::result<std::vector<std::string>>> models_query::run() {
  request_text query = write_models_query(to_);
  proxy::fetch_request request{.head = std::move(query.head), .patience = timeout_, .max_body = max_list_bytes};
  auto answer = co_await call_.run(std::move(request));
  if (!answer) {
    proxy::failure why = std::move(answer).error();
    if (why.kind == proxy::failure_kind::timeout) why.detail = "no answer within " + format_duration(timeout_);
    co_return why;
  }
  if (answer->head.status != 200) {
    proxy::failure why = refusal_of(answer->head, answer->body);
    proxy::redact(why, secrets_of(to_));
    co_return why;
  }
  if (answer->broken) co_return *std::move(answer->broken);
  co_return model_ids(answer->body);
}

std::vector<std::string> model_ids(std::string_view text) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  std::vector<std::string> ids;
  simdjson::dom::array data;
  if (parser.parse(padded)["data"].get(data) != simdjson::SUCCESS) return ids;
  for (const auto entry : data) {
    std::string_view id;
    if (entry["id"].get(id) == simdjson::SUCCESS) ids.emplace_back(id);
  }
  return ids;
}

std::string explain(const proxy::failure& why, const endpoint& to, const std::string& model,
                    const std::vector<std::string>& models) {
  using kind = proxy::failure_kind;
  const std::string url = proxy::to_string(to.provider.url);
  const std::string detail = why.detail.empty() ? std::string(to_string(why.kind)) : why.detail;
  const std::string status = why.status == 0 ? "" : " (HTTP " + std::to_string(why.status) + ")";
  switch (why.kind) {
    case kind::dns:
    case kind::connect:
    case kind::tls: return "cannot reach " + url + ": " + detail;
    case kind::auth: return url + " refuses the key" + status + ": " + detail + key_hint(to);
    case kind::quota: return url + " refuses the request: the quota is used up" + status + ": " + detail;
    case kind::bad_request:
      // If the endpoint is photofinish, the message in its response already suggests a model with a similar name.
      return url + " refuses the request" + status + ": " + detail +
             (detail.find("did you mean") == std::string::npos ? model_hint(model, models) : "");
    default: return url + " did not answer properly" + status + ": " + detail;
  }
}

bool is_hopeless(const proxy::failure& why) {
  using kind = proxy::failure_kind;
  switch (why.kind) {
    case kind::dns:
    case kind::connect:
    case kind::tls:
    case kind::auth:
    case kind::quota:
    case kind::bad_request: return true;
    default: return false;
  }
}

}  // namespace photofinish::gateway::bench
