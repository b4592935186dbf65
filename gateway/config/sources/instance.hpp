// The name of this gateway among other gateways: the setting `instance`. The name is stored as the attribute
// service.instance.id of traces, so that traces and usage reports always use the same name for a gateway. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

inline constexpr std::string_view instance_attribute = "service.instance.id";

// Returns the name of this gateway. Returns "gateway" if neither the setting, nor `tracing.resource`, nor the
// machine gives a name.
std::string instance_name(const config& settings);

// Uses the machine's host name if no other source names this gateway.
void take_host_name(const environment& machine, tracing_settings& into);

// True if the name is valid in a header, in a label and in a line of the log.
bool is_instance_name(std::string_view name);

}  // namespace photofinish::gateway
