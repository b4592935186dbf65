// The name of this gateway among several.
#pragma once

#include <string>

namespace photofinish::gateway {

// The host name, which in Kubernetes is the name of the pod; "photofinish" if the host has none.
std::string default_instance_name();

}  // namespace photofinish::gateway
