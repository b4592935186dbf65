#include "gateway/process/instance_name.hpp"

#include <unistd.h>

#include <array>

namespace photofinish::gateway {

std::string default_instance_name() {
  constexpr std::size_t longest_host_name = 256;  // Linux allows 64 bytes for a host name, and DNS allows 253
  std::array<char, longest_host_name> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "photofinish";
  return name.data();
}

}  // namespace photofinish::gateway
