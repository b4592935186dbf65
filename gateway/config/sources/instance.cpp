#include "gateway/config/sources/instance.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_instance = 64;
constexpr const char* host_name_file = "/proc/sys/kernel/hostname";

bool is_odd_byte(char byte) { return byte <= 0x20 || byte > 0x7E; }

}  // namespace

bool is_instance_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_instance && std::none_of(name.begin(), name.end(), is_odd_byte);
}

std::string instance_name(const config& settings) {
  const auto given = settings.tracing.resource.find(std::string(instance_attribute));
  const bool is_given = given != settings.tracing.resource.end() && is_instance_name(given->second);
  return is_given ? given->second : "gateway";
}

void take_host_name(const environment& machine, tracing_settings& into) {
  if (!machine.read_file || into.resource.contains(std::string(instance_attribute))) return;
  const file_content read = machine.read_file(host_name_file);
  if (!read.problem.empty()) return;
  std::string name = read.text.substr(0, read.text.find('\n')).substr(0, longest_instance);
  std::replace_if(name.begin(), name.end(), is_odd_byte, '_');
  if (!name.empty()) into.resource.emplace(instance_attribute, std::move(name));
}

}  // namespace photofinish::gateway
