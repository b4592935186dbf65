#include "gateway/config/change/settings_hash.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/units.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace photofinish::gateway {
namespace {

// The names that an access-key entry may contain, and the defaults for all entries.
struct known_names {
  std::vector<std::string> routes, teams;
  bool knows_routes = true, knows_teams = true;
  bool knows_tls = true;  // true if the configuration has no section tls, or a section tls without errors
  limit_settings defaults;
  std::set<std::string> keys;  // the names of the keys that were already read
};

void check_route(const section_reader& entry, text_position at, const std::string& setting, const std::string& name,
                 const known_names& known) {
  if (!known.knows_routes || proxy::contains(known.routes, name)) return;
  entry.shared().error(at, setting + ": unknown route '" + name + "'" + did_you_mean(name, known.routes));
}

void check_distinct(const section_reader& entry, const access_key& key, const config& earlier, known_names& known) {
  if (!key.name.empty() && !known.keys.insert(key.name).second)
    entry.error("name", "'" + key.name + "' is listed twice");
  if (const access_key* other = earlier.access.keys.find(key.key))
    entry.error("key", "is also the key of '" + other->name + "'");
  for (const key_digest& each : key.hashes)
    if (const access_key* other = earlier.access.keys.find(each))
      entry.error("key_hash", "is also the hash of the key of '" + other->name + "'");
  if (const access_key* other = earlier.access.keys.find_certificate(std::span(&key.cert_subject, 1)))
    entry.error("cert_subject", "is also the name of '" + other->name + "'");
  const bool is_asked_for = earlier.server.ingress.tls && earlier.server.ingress.tls->clients != client_auth::none;
  if (!key.cert_subject.empty() && !is_asked_for && known.knows_tls)
    entry.error("cert_subject", "needs `tls` with `client_auth: optional` or `require`; otherwise clients send no "
                                "certificate");
}

std::optional<key_digest> parse_hash(std::string_view text) {
  constexpr std::string_view scheme = "sha256:";
  key_digest digest{};
  if (!text.starts_with(scheme) || text.size() != scheme.size() + 2 * digest.size()) return std::nullopt;
  for (std::size_t at = 0; at < digest.size(); ++at) {
    const std::string_view pair = text.substr(scheme.size() + 2 * at, 2);
    const int high = proxy::hex_digit(pair[0]), low = proxy::hex_digit(pair[1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[at] = static_cast<unsigned char>(high * 16 + low);
  }
  return digest;
}

void read_hashes(const section_reader& entry, access_key& into) {
  std::vector<std::string> texts;
  if (!entry.read("key_hash", texts)) return;
  for (const std::string& text : texts) {
    const auto digest = parse_hash(text);
    if (!digest) return entry.error("key_hash", "must be `sha256:` followed by 64 hex digits, as `printf %s KEY | "
                                                "sha256sum` prints them");
    into.hashes.push_back(*digest);
  }
}

void read_expiry(const section_reader& entry, access_key& into) {
  std::string text;
  if (!entry.read("expires", text)) return;
  into.expires = parse_time(text);
  if (!into.expires) entry.error("expires", "must be a day or a time in UTC, for example 2027-03-31 or "
                                            "2027-03-31T18:00:00Z");
}

void check_team(const section_reader& entry, const known_names& known, const std::string& team) {
  if (team.empty() || !known.knows_teams || proxy::contains(known.teams, team)) return;
  entry.error("team", "unknown team '" + team + "'" + did_you_mean(team, known.teams));
}

void read_by_route(const section_reader& entry, const known_names& known, access_key& into) {
  const yaml_node* map = entry.find_sections("by_route", yaml_kind::map, "a map, as in {deep: {rpm_limit: 5}}");
  if (!map) return;
  for (const yaml_member& member : map->members) {
    check_route(entry, member.key_at, "by_route", member.key, known);
    read_limit_settings(section_reader(entry.shared(), member.value, section::key_limits), into.by_route[member.key]);
  }
}

// True if the text may be a name in a certificate. Other tools print such names as /O=Example/CN=alice or CN = alice, O
// = Example, and these forms never match.
bool may_be_certificate_name(std::string_view text) {
  for (const std::string_view kind : {"DNS:", "URI:", "email:"})
    if (text.starts_with(kind)) return true;
  const std::size_t comma = text.find(", ");
  const bool is_spaced = text.find(" = ") != std::string_view::npos ||
                         (comma != std::string_view::npos && comma > 0 && text[comma - 1] != '\\');
  const bool is_subject = text.find('=') != std::string_view::npos && !text.starts_with('/');
  return is_subject && !text.starts_with("subject=") && !is_spaced;
}

access_key read_access_key(const section_reader& entry, const known_names& known) {
  access_key key;
  const bool may_be_misspelled = entry.has_unknown();
  if (!entry.find("name") && !may_be_misspelled) entry.shared().error(entry.at(), "name: an access key needs a name");
  if (!entry.find("key") && !entry.find("key_hash") && !entry.find("cert_subject") && !may_be_misspelled)
    entry.shared().error(entry.at(), "key: an access key needs a key, a key_hash or a cert_subject");
  entry.read_members(key);
  if (key.name.starts_with('_')) entry.error("name", "must not begin with '_': the metrics reserve such names");
  if (!key.key.empty() && !is_sendable_key(key.key.reveal()))
    entry.error("key", "contains a space or a control character, which a client cannot send");
  read_hashes(entry, key);
  if (!key.cert_subject.empty() && !may_be_certificate_name(key.cert_subject))
    entry.warn("cert_subject",
               "is not a valid certificate name: give a subject such as CN=alice,O=Example, as `openssl x509 -in FILE "
               "-noout -subject -nameopt RFC2253` prints it after `subject=`, or a name that begins with DNS:, URI: or "
               "email:");
  for (std::size_t i = 0; i < key.routes.size(); ++i)
    check_route(entry, entry.find("routes")->items[i].at, "routes", key.routes[i], known);
  check_team(entry, known, key.team);
  read_expiry(entry, key);
  key.limits = known.defaults;
  read_limit_settings(entry, key.limits);
  // If the key and the default limits have different values of `unpriced`, the stricter value applies.
  key.limits.unpriced = std::max(key.limits.unpriced, known.defaults.unpriced);
  const std::size_t errors = entry.shared().errors;
  read_by_route(entry, known, key);
  if (!key.by_route.empty() && !entry.find("routes") && entry.shared().errors == errors)
    entry.warn("by_route", "a client with this key can avoid these limits by naming a target as the model; to prevent "
                           "this, add `routes`");
  return key;
}

void read_list(const yaml_node& list, reading& shared, known_names& known, config& into) {
  for (const yaml_node& item : list.items) {
    const section_reader entry(shared, item, section::access_key);
    if (item.kind != yaml_kind::map) continue;
    access_key key = read_access_key(entry, known);
    check_distinct(entry, key, into, known);
    into.access.keys.push_back(std::move(key));
  }
}

// Reads a file that contains only keys, so that keys can be added and removed without changing other settings. Problems
// are reported with the line numbers of this file.
void read_key_file(const section_reader& top, std::string_view path, known_names& known, config& into) {
  reading& shared = top.shared();
  const std::string name(path);
  shared.watched_files.push_back(name);
  const file_content content = shared.machine.read_file(name);
  if (!content.problem.empty() && shared.may_miss("file:" + name)) return;
  if (!content.problem.empty()) return top.error("access_keys", name + " " + content.problem);
  reading of_file{.file = name, .machine = shared.machine, .problems = {}, .watched_files = {}};
  of_file.budgets_in = shared.budgets_in;
  of_file.missing = shared.missing;
  const yaml_result tree = parse_yaml(content.text);
  shared.key_file_form = comparable_list(tree.root, section::access_key);
  for (const yaml_problem& problem : tree.problems) of_file.error(problem.at, problem.message);
  if (tree.root.kind == yaml_kind::sequence) read_list(tree.root, of_file, known, into);
  else if (tree.problems.empty())  // if the file contains no YAML node, the error is reported at its first line
    of_file.error(tree.root.kind == yaml_kind::null ? text_position{1, 1} : tree.root.at,
                  "must be a list of access keys, as in `- {name: alice, key_hash: ...}`, not " +
                      describe(tree.root));
  if (tree.root.kind == yaml_kind::sequence && tree.root.items.empty())
    of_file.error(tree.root.at, "contains no keys, and without keys the gateway would serve every caller; to refuse a "
                                "key, add `blocked: true` to its entry");
  std::move(of_file.problems.begin(), of_file.problems.end(), std::back_inserter(shared.problems));
  std::move(of_file.watched_files.begin(), of_file.watched_files.end(), std::back_inserter(shared.watched_files));
  shared.errors += of_file.errors;
}

// An entry from a store may read neither variables nor files of this machine.
const environment& no_machine() {
  static const environment none{[](const std::string&) { return std::optional<std::string>(); },
                                [](const std::string&) { return file_content{{}, "is not available for keys in the "
                                                                                 "store"}; },
                                [](const std::string&) { return false; }};
  return none;
}

std::string first_error(const std::vector<config_problem>& problems) {
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [](const config_problem& each) { return each.severity == severity::error; });
  return found == problems.end() ? std::string() : found->message;
}

// Adds a key from the store. Returns the reason why the key is ignored, or an empty text if it was added.
std::string add_stored_key(const stored_key& stored, known_names& known, config& into) {
  if (!stored.problem.empty()) return stored.problem;
  reading of_entry{.file = stored.id, .machine = no_machine(), .problems = {}, .watched_files = {}};
  of_entry.budgets_in = known.defaults.every.zone;
  const yaml_result tree = parse_yaml(stored.entry);
  if (!tree.problems.empty()) return tree.problems.front().message;
  if (tree.root.kind != yaml_kind::map) return "must be an entry, for example {name: alice, key_hash: ...}";
  const section_reader entry(of_entry, tree.root, section::access_key);
  if (entry.find("key")) return "key: the store does not contain keys, only their key_hash";
  access_key key = read_access_key(entry, known);
  const bool is_name_new = !known.keys.contains(key.name);
  check_distinct(entry, key, into, known);
  if (std::string problem = first_error(of_entry.problems); !problem.empty()) {
    if (is_name_new) known.keys.erase(key.name);
    return problem;
  }
  into.access.keys.push_back(std::move(key));
  return {};
}

std::set<std::string, std::less<>> words_in(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n,";
  std::set<std::string, std::less<>> words;
  for (std::size_t at = text.find_first_not_of(spaces); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
    words.emplace(text.substr(at, end - at));
    at = text.find_first_not_of(spaces, end);
  }
  return words;
}

}  // namespace

void read_access_keys(const section_reader& top, config& into) {
  known_names known{.routes = declared_names(top, "routes"), .teams = declared_names(top, "teams"),
                    .knows_routes = knows_names(top, "routes"), .knows_teams = knows_names(top, "teams"),
                    .knows_tls = into.server.ingress.tls || !top.find("tls"), .defaults = {}, .keys = {}};
  known.defaults.every.zone = top.shared().budgets_in;
  if (const yaml_node* defaults = top.find("key_defaults"))
    read_limit_settings(section_reader(top.shared(), *defaults, section::key_limits), known.defaults);
  into.access.key_defaults = known.defaults;
  const yaml_node* list = top.find("access_keys");
  if (!list || list->kind == yaml_kind::null) return;
  if (list->kind == yaml_kind::scalar && file_reference(list->text))
    return read_key_file(top, *file_reference(list->text), known, into);
  if (list->kind != yaml_kind::sequence)
    return top.error("access_keys", "must be a list, as in [{name: team, key: ...}], or file:PATH of a file with this "
                                    "list, not " + describe(*list));
  read_list(*list, top.shared(), known, into);
}

std::vector<left_out_key> add_stored_keys(const stored_keys& stored, config& into) {
  known_names known{.routes = {}, .teams = {}, .defaults = into.access.key_defaults, .keys = {}};
  for (const auto& [name, route] : into.routes) known.routes.push_back(name);
  for (const auto& [name, team] : into.access.teams) known.teams.push_back(name);
  for (const access_key& each : into.access.keys) known.keys.insert(each.name);
  std::vector<left_out_key> left_out;
  for (const auto& each : stored.all)
    if (std::string why = add_stored_key(*each, known, into); !why.empty())
      left_out.push_back({each->id, std::move(why)});
  into.access.stored_state = stored.state;
  return left_out;
}

void read_sealed_keys(const section_reader& top, sealed_key_settings& into) {
  const yaml_node* map = top.find("sealed_keys");
  if (!map) return;
  constexpr std::size_t least_bytes = 32;
  const section_reader reader(top.shared(), *map, section::sealed_keys);
  std::vector<std::string> secrets;
  const bool are_read = reader.read("secrets", secrets);
  if (are_read)
    for (std::string& each : secrets) {
      if (each.size() < least_bytes)
        reader.error("secrets",
                     "contains a secret that is too short: at least 32 characters are needed, as `openssl rand -hex "
                     "32` makes");
      into.secrets.emplace_back(std::move(each));
    }
  reader.read_members(into);
  proxy::secret revoked;
  if (reader.read("revoked", revoked, empty_text::allowed)) into.revoked = words_in(revoked.reveal());
  const bool are_there = !into.secrets.empty() || (reader.find("secrets") && !are_read);
  if (!are_there && !reader.has_unknown() && (!into.revoked.empty() || reader.find("audience")))
    reader.warn("audience", "has no effect without `secrets`");
}

}  // namespace photofinish::gateway
