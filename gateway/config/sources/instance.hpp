// The name of this gateway among others: the setting `instance`. It is stored as the attribute service.instance.id of
// traces, so that a trace and a usage report always name the same gateway. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

inline constexpr std::string_view instance_attribute = "service.instance.id";

// "gateway" if neither the setting, nor `tracing.resource`, nor the machine has given a name.
std::string instance_name(const config& settings);

// Uses the machine's host name if nothing else names this gateway.
void take_host_name(const environment& machine, tracing_settings& into);

// True if the name is valid in a header, a label and a line of the log.
bool is_instance_name(std::string_view name);

}  // namespace photofinish::gateway
