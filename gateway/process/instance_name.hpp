// Chooses the name by which this gateway is distinguished from other gateways.
#pragma once

#include <string>

namespace photofinish::gateway {

// Returns the host name, which in Kubernetes is the name of the pod. Returns "photofinish" if the host has no name.
std::string default_instance_name();

}  // namespace photofinish::gateway
