#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

// The rooms (folders) of the product, from the lowest to the highest. A file may include headers of its own room and of lower rooms.
constexpr auto rooms = std::to_array<std::string_view>({
    "proxy/words",
    "proxy/loop",
    "proxy/json",
    "proxy/json/values",
    "proxy/failures",
    "proxy/memory",
    "proxy/providers",
    "proxy/net",
    "proxy/pool",
    "proxy/http",
    "proxy/http2",
    "proxy/aws",
    "proxy/dialects",
    "proxy/dialects/repairs",
    "proxy/conversation",
    "proxy/conversation/readers",
    "proxy/conversation/writers/openai",
    "proxy/conversation/writers",
    "proxy/dialects/citations",
    "proxy/dialects/passthrough",
    "proxy/dialects/models",
    "proxy/dialects/hints",
    "proxy/dialects/responses",
    "proxy/dialects/openai/chunks",
    "proxy/dialects/openai",
    "proxy/dialects/anthropic",
    "proxy/dialects/gemini",
    "proxy/dialects/bedrock",
    "proxy/tokens",
    "proxy",
    "racing/statistics",
    "racing/prefixes",
    "racing/forecast",
    "racing/adaptive",
    "racing",
    "racing/advice",
    "metrics",
    "gateway/config/yaml",
    "gateway/config/access",
    "gateway/store",
    "gateway/process",
    "gateway/threads",
    "gateway/log",
    "gateway/ingress",
    "gateway/http",
    "gateway/simulator/plan",
    "gateway/simulator/prompts",
    "gateway/simulator",
    "gateway/config/routes",
    "gateway/config",
    "gateway/config/rows",
    "gateway/config/change",
    "gateway/config/sections",
    "gateway/config/sections/providers",
    "gateway/config/sources",
    "gateway/access",
    "gateway/access/jwt",
    "gateway/conversations",
    "gateway/prefixes",
    "gateway/api",
    "gateway/api/models",
    "gateway/api/costs",
    "gateway/api/conversation",
    "gateway/api/chat",
    "gateway/api/completions",
    "gateway/api/unstreamed",
    "gateway/api/multipart",
    "gateway/api/audio",
    "gateway/api/messages",
    "gateway/api/responses",
    "gateway/cache",
    "gateway/limits/bounds",
    "gateway/limits",
    "gateway/store/spend",
    "gateway/records",
    "gateway/records/costs",
    "gateway/traces",
    "gateway/guardrails",
    "gateway/usage",
    "gateway/advice",
    "gateway/relay",
    "gateway/credentials",
    "gateway/audit",
    "gateway/content",
    "gateway/page",
    "gateway/housekeeping/egress",
    "gateway/housekeeping/stores",
    "gateway/housekeeping/exports",
    "gateway/housekeeping/shared",
    "gateway/housekeeping",
    "gateway/attempts/setup",
    "gateway/attempts",
    "gateway/probes",
    "gateway/requests/worker",
    "gateway/requests/observers",
    "gateway/requests/stages",
    "gateway/requests",
    "gateway/requests/views",
    "gateway/server",
    "gateway/bench/workload",
    "gateway/bench",
    "gateway/bench/load",
    "gateway/bench/report",
    "gateway/bench/schedule",
    "gateway/bench/scorecard",
    "gateway/commands",
    "gateway/commands/bench",
    "gateway/commands/catalogue",
    "gateway/commands/doctor",
    "gateway/commands/keys",
    "gateway/commands/line",
    "gateway",
});

std::string room_of(const std::string& path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

std::size_t height_of(std::string_view room) {
  return static_cast<std::size_t>(std::find(rooms.begin(), rooms.end(), room) - rooms.begin());
}

constexpr std::size_t most_in_a_folder = 26;

}  // namespace

violations room_order(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product() || !file.is_source()) continue;
    const std::string room = room_of(path);
    const std::size_t height = height_of(room);
    if (height == rooms.size()) found.push_back({path, 1, room + " is not in the table of rooms"});
    for (const include_line& each : file.includes)
      if (each.is_quoted && height_of(room_of(each.name)) > height)
        found.push_back({path, each.line, room + " is below the room of \"" + each.name + "\""});
  }
  return found;
}

violations empty_rooms(const source_tree& tree) {
  std::set<std::string> used;
  for (const auto& [path, file] : tree.files) used.insert(room_of(path));
  violations found;
  for (const std::string_view room : rooms)
    if (!used.contains(std::string(room))) found.push_back({std::string(room), 1, "a room without a file"});
  return found;
}

violations crowded_folders(const source_tree& tree) {
  std::map<std::string, std::size_t> files;
  for (const auto& [path, file] : tree.files) ++files[room_of(path)];
  violations found;
  for (const auto& [folder, count] : files)
    if (count > most_in_a_folder) found.push_back({folder, 1, std::to_string(count) + " files in one folder"});
  return found;
}

}  // namespace photofinish::style
