// Writes the pages about races: the list of races, the receipt of one race, and the feed of the live page.
#include "gateway/access/fingerprints.hpp"
#include "gateway/api/url_text.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/housekeeping/shared/fleet_races.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/records/race_receipt.hpp"
#include "gateway/requests/views/view_table.hpp"
#include "gateway/store/fleet_commands.hpp"
#include "gateway/usage/usage_query.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace photofinish::gateway {
namespace {

constexpr std::size_t usual_races = 50, most_races = 200;

// Returns the same error for a race that never existed, was dropped, or belongs to another caller.
api_error no_receipt() {
  api_error error = bad_request("there is no receipt of that race. The gateway stores receipts of at most the last "
                                "10,000 races, and only while a route selects targets by speed or the live page is "
                                "open. Only the race's own caller can read the receipt, and only until the gateway "
                                "stops. The header x-race-id contains the race's id",
                                {}, "race_not_found");
  error.status = 404;
  return error;
}

// Returns the error for a receipt that another gateway may have. `why` is the reason why this gateway could not ask all
// other gateways.
api_error silent_holder(const std::string& why) {
  api_error error = silent_gateway();
  error.message = "this gateway has no receipt of that race, and could not ask all other gateways (" + why +
                  "): repeat the request";
  error.param.clear();
  return error;
}

// The parts of a page's query: a number, and the name of a gateway.
struct page_query {
  std::optional<std::uint64_t> number;  // the number in the query; empty if the query does not contain a number
  std::string gateway;
};

std::variant<page_query, api_error> read_page_query(std::string_view query, std::string_view name) {
  page_query read;
  if (const auto text = query_value(query, name)) {
    read.number = proxy::parse_number<std::uint64_t>(*text);
    if (!read.number) return bad_request(std::string(name) + " must be a number", std::string(name));
  }
  auto gateway = read_gateway_name(query);
  if (auto* wrong = std::get_if<api_error>(&gateway)) return std::move(*wrong);
  read.gateway = std::get<std::string>(std::move(gateway));
  return read;
}

std::optional<api_error> refuse_page(const page_visit& visit) {
  const listener_traits& listener = visit.call.listener;
  return refuse_feed(*visit.call.settings, visit.request, visit.who, listener.address, listener.role);
}

// Returns the caller whose races the visitor may see. Returns nothing if the visitor may see the races of all callers.
std::optional<racing::caller_id> only_caller(const page_visit& visit) {
  if (sees_all(*visit.call.settings, visit.who, visit.call.listener.role)) return std::nullopt;
  return caller_print(visit.who.name(), visit.call.worker.random.fingerprint_salt);
}

}  // namespace

api_error no_such_gateway() {
  api_error error = bad_request("no gateway with that name is known: the member `gateways` of each answer lists the "
                                "known names. Without redis, a gateway knows only "
                                "itself", "gateway", "gateway_not_found");
  error.status = 404;
  return error;
}

api_error silent_gateway(const std::string& why) {
  const std::string reason = why.empty() ? std::string() : " (" + why + ")";
  api_error error = bad_request("the gateway that the query names did not answer" + reason + ": repeat the request",
                                "gateway", "gateway_silent");
  error.status = 503;
  error.type = "server_error";
  error.retry_after = std::chrono::seconds(1);
  return error;
}

std::optional<api_error> refuse_scope(const fleet_scope& scope) {
  if (scope.is_unknown) return no_such_gateway();
  if (scope.is_unread) return silent_gateway(scope.note);
  return std::nullopt;
}

awaited_page show_feed(const page_visit& visit) {
  if (auto refused = refuse_page(visit)) co_return std::move(*refused);
  auto query = read_page_query(visit.request.query, "since");
  if (auto* wrong = std::get_if<api_error>(&query)) co_return std::move(*wrong);
  auto& [since, gateway] = std::get<page_query>(query);
  const auto text = co_await visit.call.worker.keeper.live().text(since.value_or(0), std::move(gateway));
  if (!text) co_return no_such_gateway();
  if (text->empty()) co_return silent_gateway();
  visit.call.fields.add("cache-control", "no-store");
  co_return shown_page{"application/json", *text};
}

// Shows the list of races. Without access keys, only a visitor who may see the live page gets the list of all races.
awaited_page show_races(const page_visit& visit) {
  if (visit.who.key == nullptr)
    if (auto refused = refuse_page(visit)) co_return std::move(*refused);
  auto query = read_page_query(visit.request.query, "limit");
  if (auto* wrong = std::get_if<api_error>(&query)) co_return std::move(*wrong);
  auto& [limit, gateway] = std::get<page_query>(query);
  const std::optional<racing::caller_id> only = only_caller(visit);
  fleet_query wanted{.kind = query_kind::races, .gateway = std::move(gateway)};
  wanted.count = std::min<std::uint64_t>(limit.value_or(usual_races), most_races);
  wanted.caller = std::string(visit.who.name());
  wanted.sees_all = !only.has_value();
  const auto races = co_await visit.call.worker.keeper.reports().races(std::move(wanted), only);
  if (auto error = refuse_scope(races->others.scope)) co_return std::move(*error);
  std::string page;
  std::function<void()> write = [&] { page = fleet_races_page(*races); };
  co_await visit.call.worker.beside(std::move(write));
  co_return shown_page{"application/json", std::move(page)};
}

awaited_page show_race(const page_visit& visit) {
  fleet_reports& reports = visit.call.worker.keeper.reports();
  const std::optional<racing::caller_id> only = only_caller(visit);
  std::string id = visit.route.id;
  const auto receipt = co_await reports.receipt(id, only);
  std::string page = receipt ? named_page(receipt_page(*receipt), instance_name(*visit.call.settings)) : std::string();
  std::string trouble;
  if (!receipt) {
    fleet_receipt other = co_await reports.receipt_elsewhere(std::move(id), std::string(visit.who.name()), !only);
    page = std::move(other.page);
    trouble = std::move(other.trouble);
  }
  if (page.empty()) co_return trouble.empty() ? no_receipt() : silent_holder(trouble);
  co_return shown_page{"application/json", std::move(page)};
}

}  // namespace photofinish::gateway
