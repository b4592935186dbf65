// Chooses the name that distinguishes this gateway from other gateways.
#pragma once

#include <string>

namespace photofinish::gateway {

// Returns the host name. In Kubernetes it is the name of the pod. Returns "photofinish" if the host has no name.
std::string default_instance_name();

}  // namespace photofinish::gateway
