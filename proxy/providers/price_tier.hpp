// The service tiers that a request can ask for and get. [pure] Each tier has its own prices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

enum class price_tier : std::uint8_t { standard, batch, flex, priority, fast, ultrafast };
inline constexpr std::size_t price_tiers = 6;

// Parses a value of `service_tier` or `speed`. "default", "auto", "scale", "reserved" and similar words mean the
// standard tier. Returns nullopt if the word is unknown.
std::optional<price_tier> parse_price_tier(std::string_view word);

// Parses a value of Google's `trafficType`, such as ON_DEMAND_PRIORITY. Returns nullopt if the word is unknown.
std::optional<price_tier> parse_traffic_type(std::string_view word);

std::string_view to_string(price_tier tier);

}  // namespace photofinish::proxy
