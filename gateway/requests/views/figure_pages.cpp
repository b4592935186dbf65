// Writes the pages with figures: the speed of targets, the usage of callers, and advice about routes.
#include "gateway/advice/advice_page.hpp"
#include "gateway/api/url_text.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/views/view_table.hpp"
#include "gateway/usage/usage_query.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

namespace photofinish::gateway {
namespace {

// Returns the error for usage figures that cannot be read. `why` is the reason, from fleet_scope::note.
api_error usage_unread(const std::string& why) {
  api_error error = silent_gateway();
  error.message = "the usage of another gateway cannot be read now: " + why;
  error.code = "usage_unavailable";
  return error;
}

// Returns the time span that a query requests, or an empty value for the whole span of 72 hours.
std::variant<std::optional<std::chrono::milliseconds>, api_error> read_window(std::string_view query) {
  using namespace std::chrono_literals;
  static const std::map<std::string, std::optional<std::chrono::milliseconds>> windows{
      {"15m", 15min}, {"24h", 24h}, {"72h", std::nullopt}};
  const auto window = windows.find(query_value(query, "window").value_or("72h"));
  if (window != windows.end()) return window->second;
  return bad_request("window must be 15m, 24h or 72h", "window");
}

}  // namespace

awaited_page show_stats(const page_visit& visit) {
  auto window = read_window(visit.request.query);
  if (auto* wrong = std::get_if<api_error>(&window)) co_return std::move(*wrong);
  auto gateway = read_gateway_name(visit.request.query);
  if (auto* wrong = std::get_if<api_error>(&gateway)) co_return std::move(*wrong);
  std::string name(visit.who.name());
  fleet_reports& reports = visit.call.worker.keeper.reports();
  const auto stats = co_await reports.stats(std::get<std::string>(std::move(gateway)), std::get<0>(window),
                                            std::move(name));
  if (auto error = refuse_scope(stats->scope)) co_return std::move(*error);
  std::string page = stats_page(*stats, *visit.call.settings, visit.who);
  if (page.empty()) co_return silent_gateway(stats->scope.note);
  co_return shown_page{"application/json", std::move(page)};
}

// Shows the page of usage. A caller sees only the usage of its own key. The page of a large company is long, so another
// thread writes it.
awaited_page show_usage(const page_visit& visit) {
  client_call& call = visit.call;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  auto read = read_usage_query(visit.request.query, now);
  if (auto* wrong = std::get_if<api_error>(&read)) co_return std::move(*wrong);
  auto& wanted = std::get<usage_query>(read);
  if (!sees_all(*call.settings, visit.who, call.listener.role)) wanted.only_client = std::string(visit.who.name());
  const std::shared_ptr<const usage_report> report = co_await call.worker.keeper.reports().usage(std::move(wanted));
  if (report->scope.is_unknown) co_return no_such_gateway();
  if (report->scope.is_unread) co_return usage_unread(report->scope.note);
  call.fields.add("x-photofinish-usage-of", scope_text(report->scope));
  const bool is_csv = visit.request.field("accept").find("text/csv") != std::string_view::npos;
  std::string page;
  std::function<void()> write = [&] { page = is_csv ? usage_csv(*report) : usage_json(*report); };
  co_await call.worker.beside(std::move(write));
  co_return shown_page{is_csv ? "text/csv; charset=utf-8" : "application/json", std::move(page)};
}

awaited_page show_advice(const page_visit& visit) {
  const std::shared_ptr<const config> settings = visit.call.settings;
  if (!sees_all(*settings, visit.who, visit.call.listener.role)) co_return admin_key_required();
  auto gateway = read_gateway_name(visit.request.query);
  if (auto* wrong = std::get_if<api_error>(&gateway)) co_return std::move(*wrong);
  advice_reports& reports = visit.call.worker.keeper.advice();
  const auto report = co_await reports.report(settings, std::get<std::string>(std::move(gateway)));
  if (auto error = refuse_scope(report->scope)) co_return std::move(*error);
  const auto is_counted = [](const fleet_member& each) { return each.is_counted; };
  const auto& members = report->scope.members;
  if (std::none_of(members.begin(), members.end(), is_counted)) co_return silent_gateway(report->scope.note);
  co_return shown_page{"application/json", advice_page(*report, *settings)};
}

}  // namespace photofinish::gateway
