// Makes names for callers that have no configured key. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns "_sealed/TEAM/SUBJECT", the caller's name in limits, usage and logs. A slash in the team's name is escaped,
// because a subject may also contain slashes. Otherwise subject "b/c" of team "a" and subject "c" of team "a/b" would
// have the same name.
inline std::string caller_name(std::string_view origin, std::string team, std::string_view subject) {
  for (std::size_t at = team.find_first_of("/%"); at != std::string::npos; at = team.find_first_of("/%", at + 1))
    team.replace(at, 1, team[at] == '/' ? "%2F" : "%25");
  return std::string(origin).append("/").append(team).append("/").append(subject);
}

}  // namespace photofinish::gateway
