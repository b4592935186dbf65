// Chooses the name of this gateway among several gateways.
#pragma once

#include <string>

namespace photofinish::gateway {

// Returns the host name, which in Kubernetes is the name of the pod. Returns "photofinish" if the host has no name.
std::string default_instance_name();

}  // namespace photofinish::gateway
