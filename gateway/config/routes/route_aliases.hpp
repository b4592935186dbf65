// Additional names of routes: whole names, and patterns in which `*` matches any characters. [pure]
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// A limit, because the time to compare a name with a pattern grows with the length.
inline constexpr std::size_t longest_alias = 256;

inline bool is_alias_pattern(std::string_view alias) { return alias.find('*') != std::string_view::npos; }

struct alias_pattern {
  std::string text;
  std::string route;

  bool operator==(const alias_pattern&) const = default;
};

class route_aliases {
 public:
  // Returns the route that already has this alias and keeps it. Returns null if the alias was added.
  const std::string* add(const std::string& alias, const std::string& route);

  // Returns the route for the model that a client names. A whole name has priority over patterns. If several
  // patterns match, the longest is used; if two have the same length, the first in the file is used. Returns
  // null if none matches.
  const std::string* find(std::string_view model) const;

  // All aliases that are whole names, with their routes.
  const std::map<std::string, std::string, std::less<>>& names() const { return names_; }
  const std::vector<alias_pattern>& patterns() const { return patterns_; }  // the patterns with `*`, longest first

  bool operator==(const route_aliases&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<alias_pattern> patterns_;
};

}  // namespace photofinish::gateway
