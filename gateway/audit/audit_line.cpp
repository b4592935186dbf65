#include "gateway/audit/audit_line.hpp"

#include "gateway/audit/config_differences.hpp"
#include "gateway/config/change/name_changes.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

using line_json = nlohmann::ordered_json;

constexpr std::size_t most_settings = 200, most_keys_shown = 1'000, most_change_names = 10, most_refusal_reasons = 10;
constexpr std::size_t longest_text = 300;  // the maximum number of bytes of a text from a caller or its proxy
constexpr std::size_t longest_refusal_reason = 1'000;

line_json begun(audit_time now, std::string_view event) { return {{"time", time_text(now)}, {"event", event}}; }

std::string ended(const line_json& line) {
  return proxy::escape_controls(line.dump(-1, ' ', false, line_json::error_handler_t::replace)) + "\n";
}

void add_text(line_json& line, const char* name, std::string_view text) {
  if (!text.empty()) line[name] = text.substr(0, longest_text);
}

std::vector<std::string> first_few(const std::vector<std::string>& all, std::size_t most) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

// Writes a change in a list of names, such as {"now":9,"came":1,"came_names":["alice"],"went":0}.
line_json change_counts(const name_changes& change) {
  line_json counts{{"now", change.now}, {"came", change.came.size()}};
  if (!change.came.empty()) counts["came_names"] = first_few(change.came, most_change_names);
  counts["went"] = change.went.size();
  if (!change.went.empty()) counts["went_names"] = first_few(change.went, most_change_names);
  return counts;
}

void add_config_counts(line_json& line, const config& settings) {
  line["providers"] = settings.providers.size();
  line["routes"] = settings.routes.size();
  line["access_keys"] = settings.access.keys.size();
  line["teams"] = settings.access.teams.size();
}

}  // namespace

std::string started_line(audit_time now, std::string_view version, const config& settings) {
  line_json line = begun(now, "start");
  line["version"] = version;
  add_text(line, "config_hash", settings.source.text_hash);
  add_config_counts(line, settings);
  return ended(line);
}

std::string stopped_line(audit_time now) { return ended(begun(now, "stop")); }

std::string reloaded_lines(audit_time now, const config& before, const config& after) {
  line_json line = begun(now, "reload");
  line["result"] = "accepted";
  add_text(line, "config_hash_before", before.source.text_hash);
  add_text(line, "config_hash", after.source.text_hash);
  std::vector<std::string> settings = changed_settings(before, after);
  // True if the access keys in the store are read for the first time since the start. These keys existed before, so
  // they are not logged as changes.
  const bool is_first_reading = before.awaits_stored_keys() && !after.awaits_stored_keys();
  if (is_first_reading) line["keys_read"] = after.access.keys.size();
  const std::vector<key_change> keys = is_first_reading ? std::vector<key_change>() : changed_keys(before, after);
  const std::size_t shown = std::min(settings.size(), most_settings);
  line["changed"] = first_few(settings, shown);
  if (settings.size() > shown) line["changed_more"] = settings.size() - shown;
  const config_changes changes = changes_between(before, after);
  line["providers"] = change_counts(changes.providers);
  line["routes"] = change_counts(changes.routes);
  if (!is_first_reading) line["access_keys"] = change_counts(changes.access_keys);
  line["teams"] = change_counts(changes.teams);
  line["keys_changed"] = keys.size();
  std::string all = ended(line);
  for (std::size_t at = 0; at < std::min(keys.size(), most_keys_shown); ++at) {
    line_json one = begun(now, "key");
    one["change"] = keys[at].what;
    one["key"] = keys[at].key;
    add_text(one, "team", keys[at].team);
    all += ended(one);
  }
  return all;
}

std::string reload_refused_line(audit_time now, const config& in_use, const std::vector<std::string>& reasons) {
  line_json line = begun(now, "reload");
  line["result"] = "refused";
  add_text(line, "config_hash", in_use.source.text_hash);
  std::vector<std::string> shown = first_few(reasons, most_refusal_reasons);
  for (std::string& each : shown)
    if (each.size() > longest_refusal_reason) each.resize(longest_refusal_reason);
  line["reasons"] = std::move(shown);
  if (reasons.size() > most_refusal_reasons) line["reasons_more"] = reasons.size() - most_refusal_reasons;
  return ended(line);
}

std::string refused_line(audit_time now, const refused_caller& who) {
  line_json line = begun(now, "refused");
  line["status"] = who.status;
  add_text(line, "code", who.code);
  add_text(line, "message", who.message);
  add_text(line, "peer", who.peer);
  add_text(line, "forwarded_for", who.forwarded_for);
  add_text(line, "client", who.client);
  add_text(line, "request_id", who.request_id);
  return ended(line);
}

std::string left_out_line(audit_time now, std::size_t refusals) {
  line_json line = begun(now, "refused");
  line["left_out"] = refusals;
  return ended(line);
}

}  // namespace photofinish::gateway
