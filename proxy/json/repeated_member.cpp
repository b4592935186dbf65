#include "proxy/json/repeated_member.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

bool find_in(const element& value, std::string& path);

// One bit of 64: two members with different bits have different names.
std::uint64_t bit_of(std::string_view name) {
  if (name.empty()) return 1;
  const auto first = static_cast<unsigned char>(name.front()), last = static_cast<unsigned char>(name.back());
  return std::uint64_t{1} << ((name.size() * 5 + first * 3u + last * 7u) & 63);
}

using names_of_object = boost::container::small_vector<std::string_view, 16>;

// Returns end() if each name is unique. Many names are sorted, because a caller chooses how many there are.
names_of_object::const_iterator find_repeated(names_of_object& names) {
  constexpr std::size_t few = 16;
  if (names.size() > few) {
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end());
  }
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name) return name;
  return names.end();
}

bool has_repeated_name(const simdjson::dom::object& object, std::string& path) {
  names_of_object names;
  for (const auto& [name, value] : object) names.push_back(name);
  const auto repeated = find_repeated(names);
  if (repeated == names.end()) return false;
  path.append(".").append(*repeated);
  return true;
}

bool find_in_object(const simdjson::dom::object& object, std::string& path) {
  std::uint64_t seen = 0;
  bool may_repeat = false;
  for (const auto& [name, value] : object) {
    const std::uint64_t bit = bit_of(name);
    may_repeat |= (seen & bit) != 0;
    seen |= bit;
    if (!find_in(value, path)) continue;
    path.insert(0, name).insert(0, ".");
    return true;
  }
  return may_repeat && has_repeated_name(object, path);
}

bool find_in_array(const simdjson::dom::array& array, std::string& path) {
  std::size_t index = 0;
  for (const element& value : array) {
    if (find_in(value, path)) {
      path.insert(0, "[" + std::to_string(index) + "]");
      return true;
    }
    ++index;
  }
  return false;
}

// Adds the path from the value to the member, from its end to its beginning.
bool find_in(const element& value, std::string& path) {
  const element_type type = value.type();
  if (type == element_type::OBJECT) return find_in_object(simdjson::dom::object(value), path);
  return type == element_type::ARRAY && find_in_array(simdjson::dom::array(value), path);
}

}  // namespace

std::string find_repeated_member(const element& root) {
  std::string path;
  if (find_in(root, path)) path.erase(0, 1);
  return path;
}

}  // namespace photofinish::proxy
