// Makes notes for operators about the list of models that a configuration uses.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the first 12 digits of a catalogue's id.
std::string_view short_catalogue_id(std::string_view id);

// Returns the id, date and age of the list, such as "3f2a9c41b07d of 2026-11-28, 3 days old".
std::string catalogue_age_text(const catalogue_settings& from, std::chrono::sys_days today);

// Returns sentences about the age of the list, about configured targets without a price, and about coming changes. The
// coming changes are prices that change within 14 days, and configured models that are retired within 60 days or have
// already been retired.
std::vector<std::string> catalogue_notes(const config& settings, std::chrono::sys_days today);

}  // namespace photofinish::gateway
