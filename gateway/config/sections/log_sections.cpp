// Reads the settings of the audit log and of the content log.
#include "gateway/config/sections/sections.hpp"
#include "proxy/words/contains.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

constexpr std::size_t shortest_line = 4u << 10, longest_line = 64u << 20;

void check_path(const section_reader& reader, const std::string& path, const std::string& example) {
  if (!path.starts_with('/')) reader.error("file", "must be an absolute path, as in " + example);
}

void check_routes(const section_reader& top, const section_reader& log, const std::vector<std::string>& routes) {
  if (!knows_names(top, "routes")) return;
  const std::vector<std::string> known = declared_names(top, "routes");
  for (const std::string& each : routes)
    if (!proxy::contains(known, each)) log.error("routes", "unknown route '" + each + "'" + did_you_mean(each, known));
}

}  // namespace

void read_audit_log(const section_reader& top, config& into) {
  const yaml_node* node = top.find("audit_log");
  if (!node) return;
  const section_reader reader(top.shared(), *node, section::audit_log);
  reader.read_members(into);
  if (reader.has_read("file")) check_path(reader, into.log.audit_file, "/var/log/photofinish/audit.jsonl");
}

void read_content_log(const section_reader& top, content_log_settings& into) {
  const yaml_node* node = top.find("content_log");
  if (!node) return;
  const section_reader log(top.shared(), *node, section::content_log);
  log.read_members(into);
  if (log.has_read("file")) check_path(log, into.file, "/var/log/photofinish/content.jsonl");
  if (log.has_read("routes")) check_routes(top, log, into.routes);
  if (into.retention < std::chrono::hours(1)) log.error("retention", "must be at least 1h");
  if (into.max_line < shortest_line || into.max_line > longest_line)
    log.error("max_line", "must be from 4KiB to 64MiB");
  if (log.has_unknown() || node->kind != yaml_kind::map || node->members.empty()) return;
  if (!log.find("file"))
    return top.shared().warn(log.at(), "content_log: nothing is recorded, because `file` is missing");
  const yaml_node* routes = log.find("routes");
  const bool are_none = !routes || (routes->kind != yaml_kind::scalar && routes->items.empty());
  if (are_none) log.shared().error(log.at(), "content_log: `routes`, the routes whose requests are recorded, is "
                                             "missing");
}

}  // namespace photofinish::gateway
