// Reads the services that judge clients' prompts before they are answered.
#include "gateway/config/forward_proxy_choice.hpp"
#include "gateway/config/sections/sections.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace photofinish::gateway {
namespace {

// The maximum number of guardrails; it is low, because each request waits for all of them.
constexpr std::size_t most_guardrails = 16;
constexpr std::size_t longest_name = 64;
constexpr std::chrono::seconds longest_timeout{60};

void read_service(const section_reader& entry, const std::string& for_all, guardrail_settings& into) {
  std::string text;
  if (!entry.read("url", text)) return;
  proxy::base_url_result read = proxy::parse_base_url(text);
  if (!read.url) return entry.error("url", read.problem);
  into.service.url = *std::move(read.url);
  // Keeps idle connections open, because each client request causes a request to the service.
  into.service.limits.max_spares = 2;
  forward_proxy_result found = forward_proxy_for(into.service.url, for_all, entry.shared().machine);
  if (!found.problem.empty()) entry.error("url", found.problem);
  if (!found.warning.empty()) entry.warn("url", "its host " + found.warning);
  into.service.via = std::move(found.via);
}

void read_its_name(const section_reader& entry, guardrail_settings& into) {
  if (!entry.has_read("name")) into.name = into.service.url.host.substr(0, longest_name);
  const bool is_plain = std::all_of(into.name.begin(), into.name.end(),
                                    [](unsigned char each) { return each > 0x20 && each < 0x7F && each != '"'; });
  if (!is_plain || into.name.size() > longest_name || into.name.starts_with('_'))
    entry.error("name",
                "must be at most 64 printable ASCII characters without spaces and quotes, and must not begin with '_'");
  into.service.name = into.name;
}

void read_judged_routes(const section_reader& entry, const section_reader& top, guardrail_settings& into) {
  if (!entry.has_read("routes") || !knows_names(top, "routes")) return;
  const std::vector<std::string> known = declared_names(top, "routes");
  for (std::size_t at = 0; at < into.routes.size(); ++at)
    if (std::find(known.begin(), known.end(), into.routes[at]) == known.end())
      entry.shared().error(entry.find("routes")->items[at].at, "routes: unknown route '" + into.routes[at] + "'" +
                                                                   did_you_mean(into.routes[at], known));
}

guardrail_settings read_guardrail(const section_reader& entry, const section_reader& top, const config& all) {
  guardrail_settings made;
  if (!entry.find("url") && !entry.has_unknown())
    entry.shared().error(entry.at(), "url: a guardrail needs one, as http://pii.internal:8000");
  entry.read_members(made);
  read_service(entry, all.forward_proxy.reveal(), made);
  read_its_name(entry, made);
  if (made.timeout > longest_timeout)
    entry.error("timeout", "must be at most 60s, because clients wait for the verdict");
  read_sent_headers(entry, made.headers);
  read_judged_routes(entry, top, made);
  return made;
}

}  // namespace

void read_guardrails(const section_reader& top, config& into) {
  const yaml_node* list = top.find_sections(
      "guardrails", yaml_kind::sequence, "a list, as in [{url: http://pii.internal:8000}]");
  if (!list) return;
  if (list->items.size() > most_guardrails)
    return top.error("guardrails", "the maximum number of guardrails is " + std::to_string(most_guardrails));
  for (const yaml_node& item : list->items) {
    const section_reader entry(top.shared(), item, section::guardrail);
    if (item.kind != yaml_kind::map) continue;
    guardrail_settings made = read_guardrail(entry, top, into);
    const auto has_its_name = [&made](const guardrail_settings& each) { return each.name == made.name; };
    if (!made.name.empty() && std::any_of(into.guardrails.begin(), into.guardrails.end(), has_its_name))
      entry.error(entry.find("name") ? "name" : "url",
                  "'" + made.name + "' is also the name of another guardrail: rename one of them");
    into.guardrails.push_back(std::move(made));
  }
}

}  // namespace photofinish::gateway
