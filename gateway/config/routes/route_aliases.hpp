// Additional names of routes: whole names, and patterns in which `*` matches any characters. [pure]
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The maximum length of an alias. The time to match a name against a pattern grows with the pattern's length.
inline constexpr std::size_t longest_alias = 256;

inline bool is_alias_pattern(std::string_view alias) { return alias.find('*') != std::string_view::npos; }

struct alias_pattern {
  std::string text;
  std::string route;

  bool operator==(const alias_pattern&) const = default;
};

class route_aliases {
 public:
  // Adds an alias for a route and returns null. If another route already has the alias, changes nothing and returns the
  // name of that other route.
  const std::string* add(const std::string& alias, const std::string& route);

  // Returns the route for the model name in a client's request, or null if no alias matches. A whole name has priority
  // over patterns. If several patterns match, the longest pattern decides. If these are equally long, the first pattern
  // in the file decides.
  const std::string* find(std::string_view model) const;

  // Returns all aliases that are whole names, with their routes.
  const std::map<std::string, std::string, std::less<>>& names() const { return names_; }
  const std::vector<alias_pattern>& patterns() const { return patterns_; }  // the patterns with `*`, longest first

  bool operator==(const route_aliases&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<alias_pattern> patterns_;
};

}  // namespace photofinish::gateway
