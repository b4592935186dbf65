// The words by which presets and configurations name the kinds of behaviour. [pure]
#pragma once

#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

std::string_view to_string(auth_style style);        // bearer | header | none
std::string_view to_string(usage_in_stream usage);   // request | always | never
std::string_view to_string(cancel_billing billing);  // stops | full | unknown
std::string_view to_string(prefill_form prefill);    // none | last_message | prefix | continue_final_message

std::optional<auth_style> parse_auth_style(std::string_view word);
std::optional<usage_in_stream> parse_usage_in_stream(std::string_view word);
std::optional<cancel_billing> parse_cancel_billing(std::string_view word);
std::optional<prefill_form> parse_prefill_form(std::string_view word);

}  // namespace photofinish::proxy
