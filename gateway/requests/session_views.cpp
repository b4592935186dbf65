// What a session answers to people and their tools: metrics, the live page, its feed, races that were run, statistics
// of targets. A session, continued.
#include "gateway/access/fingerprints.hpp"
#include "gateway/advice/advice_page.hpp"
#include "gateway/api/root_page.hpp"
#include "gateway/api/url_text.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/housekeeping/shared/fleet_races.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "gateway/page/page_document.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/session.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/store/fleet_queries.hpp"
#include "gateway/usage/usage_query.hpp"
#include "metrics/open_metrics.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t usual_races = 50, most_races = 200;

// The same for one that never was, is forgotten, or is another caller's.
api_error no_receipt() {
  api_error error = bad_request("no receipt of that race: they are kept of the last 10,000 races at most, each for "
                                "its own caller, and only while some route goes by speed, or the live page shows them; "
                                "its id is in x-race-id. A gateway that has stopped takes its receipts with it",
                                {}, "race_not_found");
  error.status = 404;
  return error;
}

// `why`: the scope's note.
api_error usage_unread(const std::string& why) {
  api_error error;
  error.status = 503;
  error.message = "the usage of another gateway cannot be read now: " + why;
  error.type = "server_error";
  error.param = "gateway";
  error.code = "usage_unavailable";
  error.retry_after = std::chrono::seconds(1);
  return error;
}

api_error no_such_gateway() {
  api_error error = bad_request("no gateway of that name is known here: the names are in the answer's member gateways, "
                                "and without redis a gateway knows itself alone", "gateway", "gateway_not_found");
  error.status = 404;
  return error;
}

// A gateway that does not answer in time, answers too much, or cannot be asked now. `why`: the scope's note, or empty.
api_error silent_gateway(const std::string& why = {}) {
  const std::string reason = why.empty() ? std::string() : " (" + why + ")";
  api_error error = bad_request("the gateway that the query names did not answer" + reason + ": repeat the request",
                                "gateway", "gateway_silent");
  error.status = 503;
  error.type = "server_error";
  error.retry_after = std::chrono::seconds(1);
  return error;
}

// The receipt may be at another gateway. `why`: what keeps this one from asking them all.
api_error silent_holder(const std::string& why) {
  api_error error = silent_gateway();
  error.message = "this gateway has no receipt of that race, and could not ask all others (" + why +
                  "): repeat the request";
  error.param.clear();
  return error;
}

// None where it is not there; an error where it is not a number.
std::variant<std::optional<std::uint64_t>, api_error> number_in(const client_request& request, std::string_view name) {
  const auto text = query_value(request.query, name);
  if (!text) return std::optional<std::uint64_t>();
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (problem == std::errc() && end == text->data() + text->size()) return std::optional(value);
  return bad_request(std::string(name) + " must be a number", std::string(name));
}

// None: the whole window.
std::variant<std::optional<std::chrono::milliseconds>, api_error> window_in(const client_request& request) {
  using namespace std::chrono_literals;
  static const std::map<std::string, std::optional<std::chrono::milliseconds>> windows{
      {"15m", 15min}, {"24h", 24h}, {"72h", std::nullopt}};
  const auto found = windows.find(query_value(request.query, "window").value_or("72h"));
  if (found != windows.end()) return found->second;
  return bad_request("window must be 15m, 24h or 72h", "window");
}

}  // namespace

asio::awaitable<after_response> session::answer_metrics(const client_request& request) {
  const bool takes_open_metrics = metrics::takes_open_metrics(request.field("accept"));
  const metrics::rendered_page page = co_await worker_.keeper.metrics_page(takes_open_metrics);
  co_return co_await send(whole_response(200, page.content_type, page.text, fields_, style_));
}

asio::awaitable<after_response> session::answer_root(const client_request& request) {
  fields_.add("vary", "accept");
  if (wants_page(request) && serves_page(*settings_, request, listener_.address, listener_.role)) {
    const page_document& page = live_page();
    fields_.add("content-security-policy", page.policy);
    fields_.add("x-content-type-options", "nosniff");
    fields_.add("referrer-policy", "no-referrer");
    fields_.add("cross-origin-opener-policy", "same-origin");
    fields_.add("cache-control", "no-cache");
    return send(whole_response(200, "text/html; charset=utf-8", page.html, fields_, style_));
  }
  // Who must bring a key learns the version by other ways.
  const bool shows_version = !settings_->asks_for_keys() || listener_.role == listener_role::admin;
  const std::string version = shows_version ? worker_.keeper.version() : std::string();
  const std::string page = root_page(version, listener_.role, worker_.speaks.apis);
  return send(whole_response(200, "application/json", page, fields_, style_));
}

// Not logged: each page asks once a second.
asio::awaitable<after_response> session::answer_feed(const client_request& request, caller who) {
  std::optional<api_error> refused = refuse_feed(*settings_, request, who, listener_.address, listener_.role);
  auto since = number_in(request, "since");
  if (auto* wrong = std::get_if<api_error>(&since); wrong != nullptr && !refused) refused = std::move(*wrong);
  auto only = read_gateway_name(request.query);
  if (auto* wrong = std::get_if<api_error>(&only); wrong != nullptr && !refused) refused = std::move(*wrong);
  if (refused) co_return co_await refuse(request, *refused, who);
  const auto text = co_await worker_.keeper.feed(std::get<0>(since).value_or(0), std::get<std::string>(only));
  if (!text || text->empty()) {
    const api_error error = text ? silent_gateway() : no_such_gateway();
    co_return co_await refuse(request, error, who);
  }
  fields_.add("cache-control", "no-store");
  co_return co_await send(whole_response(200, "application/json", *text, fields_, style_));
}

std::optional<racing::caller_id> session::races_shown_to(caller who) const {
  if (sees_all(*settings_, who, listener_.role)) return std::nullopt;
  return caller_print(who.name(), worker_.fingerprint_salt);
}

// Without access keys a list of all races is for who may see the page.
asio::awaitable<after_response> session::answer_races(const client_request& request, caller who) {
  std::optional<api_error> refused;
  if (who.key == nullptr) refused = refuse_feed(*settings_, request, who, listener_.address, listener_.role);
  auto limit = number_in(request, "limit");
  if (auto* wrong = std::get_if<api_error>(&limit); wrong != nullptr && !refused) refused = std::move(*wrong);
  auto only = read_gateway_name(request.query);
  if (auto* wrong = std::get_if<api_error>(&only); wrong != nullptr && !refused) refused = std::move(*wrong);
  if (refused) co_return co_await refuse(request, *refused, who);
  const std::optional<racing::caller_id> shown_to = races_shown_to(who);
  fleet_query wanted{.kind = query_kind::races, .gateway = std::get<std::string>(only)};
  wanted.count = std::min<std::uint64_t>(std::get<0>(limit).value_or(usual_races), most_races);
  wanted.caller = std::string(who.name());
  wanted.sees_all = !shown_to.has_value();
  const auto found = co_await worker_.keeper.races(std::move(wanted), shown_to);
  const fleet_scope& scope = found->others.scope;
  if (scope.is_unknown || scope.is_unread) {
    const api_error error = scope.is_unknown ? no_such_gateway() : silent_gateway(scope.note);
    co_return co_await refuse(request, error, who);
  }
  std::string page;
  std::function<void()> write = [&] { page = fleet_races_page(*found); };
  co_await worker_.beside(std::move(write));
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", page, fields_, style_));
}

asio::awaitable<after_response> session::answer_race(const client_request& request, std::string id, caller who) {
  const auto receipt = co_await worker_.keeper.receipt(id, races_shown_to(who));
  std::string page = receipt ? named_page(receipt_page(*receipt), instance_name(*settings_)) : std::string();
  std::string trouble;
  if (!receipt) {
    const bool sees_all = !races_shown_to(who).has_value();
    fleet_receipt other = co_await worker_.keeper.receipt_elsewhere(std::move(id), std::string(who.name()), sees_all);
    page = std::move(other.page);
    trouble = std::move(other.trouble);
  }
  if (page.empty()) {
    const api_error error = trouble.empty() ? no_receipt() : silent_holder(trouble);
    co_return co_await refuse(request, error, who);
  }
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", page, fields_, style_));
}

asio::awaitable<after_response> session::answer_stats(const client_request& request, caller who) {
  const auto window = window_in(request);
  if (const auto* wrong = std::get_if<api_error>(&window)) co_return co_await refuse(request, *wrong, who);
  auto only = read_gateway_name(request.query);
  if (const auto* wrong = std::get_if<api_error>(&only)) co_return co_await refuse(request, *wrong, who);
  std::string name(who.name());
  const auto stats = co_await worker_.keeper.stats(std::get<std::string>(only), std::get<0>(window), std::move(name));
  const bool has_none = stats->scope.is_unknown || stats->scope.is_unread;
  const std::string page = has_none ? std::string() : stats_page(*stats, *settings_, who);
  if (page.empty()) {
    const api_error error = stats->scope.is_unknown ? no_such_gateway() : silent_gateway(stats->scope.note);
    co_return co_await refuse(request, error, who);
  }
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", page, fields_, style_));
}

// A caller sees what its own key used. The page of a large company is written beside the loop.
asio::awaitable<after_response> session::answer_usage(const client_request& request, caller who) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  auto read = read_usage_query(request.query, now);
  if (const auto* error = std::get_if<api_error>(&read)) co_return co_await refuse(request, *error, who);
  auto& wanted = std::get<usage_query>(read);
  if (!sees_all(*settings_, who, listener_.role)) wanted.only_client = std::string(who.name());
  const bool is_csv = request.field("accept").find("text/csv") != std::string_view::npos;
  const std::shared_ptr<const usage_report> report = co_await worker_.keeper.usage(std::move(wanted));
  if (report->scope.is_unknown) {
    const api_error unknown = no_such_gateway();
    co_return co_await refuse(request, unknown, who);
  }
  if (report->scope.is_unread) {
    const api_error unread = usage_unread(report->scope.note);
    co_return co_await refuse(request, unread, who);
  }
  fields_.add("x-photofinish-usage-of", scope_text(report->scope));
  std::string page;
  std::function<void()> write = [&] { page = is_csv ? usage_csv(*report) : usage_json(*report); };
  co_await worker_.beside(std::move(write));
  note_answer(request, who);
  const std::string_view type = is_csv ? "text/csv; charset=utf-8" : "application/json";
  co_return co_await send(whole_response(200, type, page, fields_, style_));
}

asio::awaitable<after_response> session::answer_advice(const client_request& request, caller who) {
  if (!sees_all(*settings_, who, listener_.role)) {
    const api_error closed = admin_key_required();
    co_return co_await refuse(request, closed, who);
  }
  auto only = read_gateway_name(request.query);
  if (const auto* wrong = std::get_if<api_error>(&only)) co_return co_await refuse(request, *wrong, who);
  const std::shared_ptr<const config> settings = settings_;
  const auto report = co_await worker_.keeper.advice(settings, std::get<std::string>(only));
  const auto is_counted = [](const fleet_member& each) { return each.is_counted; };
  const bool has_any = std::any_of(report->scope.members.begin(), report->scope.members.end(), is_counted);
  if (report->scope.is_unknown || report->scope.is_unread || !has_any) {
    const api_error error = report->scope.is_unknown ? no_such_gateway() : silent_gateway(report->scope.note);
    co_return co_await refuse(request, error, who);
  }
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", advice_page(*report, *settings), fields_, style_));
}

}  // namespace photofinish::gateway
