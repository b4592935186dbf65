#include "proxy/json/repeated_member.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

struct named_place {
  std::string_view name;  // the member's name without escapes
  std::size_t place;      // the offset of the name's opening quote
};

// Returns a mask with one of 64 bits set. Equal names give the same mask.
std::uint64_t bit_of(std::string_view name) {
  if (name.empty()) return 1;
  const auto first = static_cast<unsigned char>(name.front()), last = static_cast<unsigned char>(name.back());
  return std::uint64_t{1} << ((name.size() * 5 + first * 3u + last * 7u) & 63);
}

class repeated_search {
 public:
  // Returns the offset of a member whose name occurs earlier in the same object, or nullopt if every name is unique.
  std::optional<std::size_t> run(std::string_view json) {
    for (std::size_t at = 0; at < json.size();) {
      const char sign = json[at];
      if (sign == '"') {
        at = read_string(json, at);
        continue;
      }
      if (sign == '{') open_.push_back({names_.size()});
      if (sign == '}')
        if (const auto repeated = close()) return repeated;
      ++at;
    }
    return std::nullopt;
  }

 private:
  struct open_object {
    std::size_t first;  // the index of the object's first member name in the list names_
    std::uint64_t bits = 0;
    bool may_repeat = false;
  };

  // Reads a string. If a colon follows, the string is the name of a member and is stored.
  std::size_t read_string(std::string_view json, std::size_t at) {
    const std::string_view quoted = json_string_at(json.substr(at));
    std::size_t next = at + quoted.size();
    while (next < json.size() && is_json_space(json[next])) ++next;
    if (next == json.size() || json[next] != ':' || open_.empty()) return next;
    std::string_view name = quoted.substr(1, quoted.size() - 2);
    if (name.find('\\') != std::string_view::npos) name = unescaped_.emplace_back(json_unescape(name));
    open_object& object = open_.back();
    const std::uint64_t bit = bit_of(name);
    object.may_repeat |= (object.bits & bit) != 0;
    object.bits |= bit;
    names_.push_back({name, at});
    return next + 1;
  }

  std::optional<std::size_t> close() {
    if (open_.empty()) return std::nullopt;
    const open_object object = open_.back();
    open_.pop_back();
    std::optional<std::size_t> repeated;
    if (object.may_repeat) repeated = find_among(names_.begin() + static_cast<std::ptrdiff_t>(object.first));
    names_.resize(object.first);
    return repeated;
  }

  // Sorts a long list of names before comparing them. The client controls the number of names, so comparing each pair
  // could take too long.
  std::optional<std::size_t> find_among(std::vector<named_place>::iterator first) {
    constexpr std::ptrdiff_t few = 16;
    const auto end = names_.end();
    if (end - first > few) {
      std::sort(first, end, [](const named_place& one, const named_place& other) {
        return one.name != other.name ? one.name < other.name : one.place < other.place;
      });
      const auto is_same = [](const named_place& one, const named_place& other) { return one.name == other.name; };
      const auto found = std::adjacent_find(first, end, is_same);
      return found == end ? std::nullopt : std::optional((found + 1)->place);
    }
    for (auto each = first; each != end; ++each)
      if (std::any_of(first, each, [each](const named_place& one) { return one.name == each->name; }))
        return each->place;
    return std::nullopt;
  }

  std::vector<named_place> names_;  // the member names of all objects that are still open
  std::vector<open_object> open_;
  std::deque<std::string> unescaped_;
};

bool holds(std::string_view part, const char* place) {
  return std::greater_equal<>()(place, part.data()) && std::less<>()(place, part.data() + part.size());
}

// Returns the path from `value` to the member whose name has its opening quote at `place`. The number of steps is
// limited, because each step of the path reads the rest of the value.
std::string path_to(std::string_view value, const char* place) {
  constexpr int most_levels = 16;
  std::string path;
  bool is_found = true;
  for (int level = 0; level < most_levels && std::exchange(is_found, false); ++level) {
    json_walk walk(value);
    if (json_is_object(value)) {
      while (const auto member = walk.next_member()) {
        if (!holds(member->whole, place)) continue;
        path.append(path.empty() ? "" : ".").append(json_unescape(member->raw_key));
        value = member->value;
        is_found = holds(value, place);
        break;
      }
      continue;
    }
    for (std::size_t index = 0; const auto element = walk.next_element(); ++index) {
      if (!holds(*element, place)) continue;
      path.append("[").append(std::to_string(index)).append("]");
      value = *element;
      is_found = true;
      break;
    }
  }
  return path;
}

}  // namespace

std::string find_repeated_member(std::string_view json) {
  const auto place = repeated_search().run(json);
  return place ? path_to(json, json.data() + *place) : std::string();
}

}  // namespace photofinish::proxy
