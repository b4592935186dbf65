#include "gateway/requests/views/view_table.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

// The pages that the gateway answers itself. Pages for probes reveal nothing secret. Metrics contain callers, models
// and sums of money, so they require a key or the admin listener.
constexpr auto views = std::to_array<view>({
    {endpoint::root, callers::anyone, view_log::errors, show_root},
    {endpoint::live, callers::anyone, view_log::errors, show_liveness},
    {endpoint::ready, callers::anyone, view_log::errors, show_readiness},
    {endpoint::metrics, callers::metrics_readers, view_log::errors, show_metrics},
    {endpoint::models, callers::key_holders, view_log::pages, show_models},
    {endpoint::model, callers::key_holders, view_log::pages, show_model},
    {endpoint::usage, callers::key_holders, view_log::pages, show_usage},
    {endpoint::provider_stats, callers::key_holders_and_admin_address, view_log::pages, show_stats},
    {endpoint::advice, callers::key_holders_and_admin_address, view_log::pages, show_advice},
    {endpoint::races, callers::key_holders_and_admin_address, view_log::pages, show_races},
    {endpoint::race, callers::key_holders_and_admin_address, view_log::pages, show_race},
    // The live page requests the feed once a second, so the log contains only failed requests.
    {endpoint::feed, callers::key_holders_and_admin_address, view_log::errors, show_feed},
});

}  // namespace

std::span<const view> all_views() { return views; }

}  // namespace photofinish::gateway
