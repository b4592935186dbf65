// Declares the table of pages that the gateway answers itself, and the handlers of its rows.
#pragma once

#include "gateway/requests/view.hpp"
#include "gateway/store/fleet_scope.hpp"

#include <optional>
#include <span>
#include <string>

namespace photofinish::gateway {

// Returns the table of pages, which lives as long as the program.
std::span<const view> all_views();

using awaited_page = boost::asio::awaitable<view_answer>;

// Handlers of pages about the gateway itself.
awaited_page show_root(const page_visit& visit);
awaited_page show_liveness(const page_visit& visit);
awaited_page show_readiness(const page_visit& visit);
awaited_page show_metrics(const page_visit& visit);
awaited_page show_models(const page_visit& visit);
awaited_page show_model(const page_visit& visit);

// Handlers of pages about races. A caller sees only its own races, unless it may see the races of all callers.
awaited_page show_races(const page_visit& visit);
awaited_page show_race(const page_visit& visit);
awaited_page show_feed(const page_visit& visit);

// Handlers of pages with statistics. The figures cover all gateways, or only the gateway that the query names.
awaited_page show_stats(const page_visit& visit);
awaited_page show_usage(const page_visit& visit);
awaited_page show_advice(const page_visit& visit);

// Returns the error for a query that names a gateway that does not exist.
api_error no_such_gateway();

// Returns the error for a gateway that did not answer in time, sent too much, or cannot be asked now. `why` is the
// reason, from fleet_scope::note, or an empty text.
api_error silent_gateway(const std::string& why = {});

// Returns an error if the answer lacks the data of the gateway that the query names. Returns nothing if the answer
// contains this data.
std::optional<api_error> refuse_scope(const fleet_scope& scope);

}  // namespace photofinish::gateway
