#include "gateway/commands/keys/key_store.hpp"

#include "gateway/commands/keys/asked_store.hpp"
#include "gateway/config/access/gateway_key.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"
#include "gateway/store/stored_key_commands.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

// Uses the access keys in the shared store: sends a command, waits for the reply, and prints errors.
class key_store : public asked_store {
 public:
  key_store(const config& settings, std::ostream& err)
      : asked_store(settings.store, err), commands_(settings.store.prefix) {}

  const stored_key_commands& commands() const { return commands_; }

 private:
  const stored_key_commands commands_;
};

// Checks that the configuration contains the settings of a store for access keys. Otherwise prints the missing setting.
// Returns the exit code, which is 0 if the store can be used.
int check_store(const config& settings, std::ostream& err) {
  if (settings.store.url.empty()) return complain_to(err, "the configuration has no `redis`", keys_wrong_usage);
  if (!settings.store.has_access_keys)
    err << "warning: the configuration has no `redis: {access_keys: true}`, so gateways with this configuration read "
           "no keys from the store\n";
  return 0;
}

// Removes the list marker and the line feed of an entry, so that "{name: …}" remains.
std::string as_stored(std::string line) {
  if (line.starts_with("- ")) line.erase(0, 2);
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

// Returns the problem that the entry would have in this configuration, or an empty text.
std::string problem_of(const std::string& id, const std::string& text, config settings, const std::string& name = {}) {
  constexpr std::size_t longest = stored_key_commands::longest_entry;
  if (text.size() > longest) return "the entry would be longer than " + std::to_string(longest) + " bytes";
  const auto stored = std::make_shared<const stored_key>(stored_key{id, text});
  const auto left_out = add_stored_keys({stored_keys_state::known, {stored}}, settings);
  if (!left_out.empty()) return left_out.front().why;
  const bool is_read_so = name.empty() || settings.access.keys[settings.access.keys.size() - 1].name == name;
  return is_read_so ? std::string() : "a name must be one line of text, without ${...}";
}

// Reads an entry from the store. Returns an empty text if the store has no such entry. If the entry cannot be read,
// prints the problem and returns nothing.
std::optional<std::string> read_stored(key_store& store, std::string_view id, std::ostream& err) {
  auto entry = store.ask(store.commands().read_entry(id));
  if (!entry) return std::nullopt;
  if (entry->text.size() > stored_key_commands::longest_entry)
    return complain_to(err, "the store's entry for " + std::string(id) + " is too long"), std::nullopt;
  return std::move(entry->text);
}

int no_such_key(std::string_view which, std::ostream& err) {
  return complain_to(err, "the store has no key '" + std::string(which) +
                           "': if the store has lost the key, give the key's public part to revoke it");
}

struct found_key {
  std::string id;
  std::string entry;  // the text of the key's entry; empty if the store has no entry
  yaml_node read;     // the text of the entry as a YAML map
  std::string name() const {
    for (const yaml_member& each : read.members)
      if (each.key == "name") return each.value.text;
    return {};
  }
};

std::string name_and_id(const found_key& found) {
  return "'" + proxy::shown_text(found.name()) + "' (" + found.id + ")";
}

// Finds a key in the store. On an error, prints the problem and returns nothing.
std::optional<found_key> find_stored(key_store& store, const key_reference& which, std::ostream& err) {
  found_key found{which.text, {}, {}};
  if (!is_public_part(which.text)) {
    const auto named = store.ask(store.commands().find_name(which.text));
    if (!named) return std::nullopt;
    if (named->kind == reply_kind::text) found.id = named->text;
    if (!is_stored_key_id(found.id)) return no_such_key(which.text, err), std::nullopt;
  }
  auto entry = read_stored(store, found.id, err);
  if (!entry) return std::nullopt;
  found.entry = *std::move(entry);
  if (found.entry.empty()) return found;
  yaml_result tree = parse_yaml(found.entry);
  if (!tree.problems.empty() || tree.root.kind != yaml_kind::map)
    return complain_to(err, "the store's entry for " + found.id + " cannot be read, so gateways refuse this key"),
           std::nullopt;
  found.read = std::move(tree.root);
  if (!which.key.empty() && !is_opened_by(found.read, which.key))
    return complain_to(err, "the store's key " + found.id + " is a different key with the same public part"),
           std::nullopt;
  return found;
}

// Writes the entry to the store, unless another client has changed it since it was read. In that case, prints the
// reason and returns false.
bool put(key_store& store, const found_key& found, const std::string& entry, std::ostream& err) {
  const auto done = store.ask(store.commands().put({found.id, found.name(), found.entry, entry}));
  if (done && done->number() != 1)
    complain_to(err, "another command has changed the store's entry for " + found.id + ": try again");
  return done && done->number() == 1;
}

}  // namespace

int put_new_key(const new_key_entry& entry, const std::string& key, const config& settings, std::ostream& out,
                std::ostream& err) {
  if (const int missing = check_store(settings, err); missing != 0) return missing;
  const std::string id(*public_part(key));
  if (is_public_part(entry.name) && entry.name != id)
    return complain_to(err, "a name must not look like the public part of a key", keys_wrong_usage);
  const std::string text = as_stored(entry_text(entry));
  if (const std::string problem = problem_of(id, text, settings, entry.name); !problem.empty())
    return complain_to(err, problem, keys_wrong_usage);
  key_store store(settings, err);
  const auto done = store.ask(store.commands().put({id, entry.name, "", text}));
  if (!done) return 1;
  if (done->number() != 1) return complain_to(err, "the store already has a key '" + entry.name + "'");
  out << key << "\n";
  err << "the store now has the key's hash under the name '" << entry.name
      << "'; gateways accept the key within 2 s. The key is shown only once\n";
  return 0;
}

int change_stored_key(const key_reference& which, const entry_changes& changes, const config& settings,
                      std::ostream& err) {
  if (const int missing = check_store(settings, err); missing != 0) return missing;
  key_store store(settings, err);
  const auto found = find_stored(store, which, err);
  if (!found) return 1;
  if (found->entry.empty()) return no_such_key(which.text, err);
  const std::string text = changed_entry(found->read, changes);
  if (const std::string problem = problem_of(found->id, text, settings); !problem.empty())
    return complain_to(err, problem, keys_wrong_usage);
  if (!put(store, *found, text, err)) return 1;
  err << name_and_id(*found) << " is changed in the store; gateways apply the change within 2 s\n";
  return 0;
}

// Blocks the key even if its entry has errors. If the store no longer has the entry, writes a newer revision without an
// entry, so that all gateways drop the key.
int block_stored_key(const key_reference& which, const config& settings, std::ostream& err) {
  if (const int missing = check_store(settings, err); missing != 0) return missing;
  key_store store(settings, err);
  const auto found = find_stored(store, which, err);
  if (!found) return 1;
  if (found->entry.empty() && !is_public_part(found->id)) return no_such_key(which.text, err);
  const bool is_there = !found->entry.empty();
  if (!put(store, *found, is_there ? changed_entry(found->read, {{"blocked", "true"}}) : std::string(), err)) return 1;
  if (is_there) err << name_and_id(*found) << " is blocked in the store; gateways refuse it";
  else err << "the store has no entry for " << found->id << "; gateways that had read an earlier entry refuse the key";
  err << " within 2 s\n";
  return 0;
}

int show_stored_key(const key_reference& which, const config& settings, std::ostream& out, std::ostream& err) {
  if (const int missing = check_store(settings, err); missing != 0) return missing;
  key_store store(settings, err);
  const auto found = find_stored(store, which, err);
  if (!found) return 1;
  if (found->entry.empty()) return no_such_key(which.text, err);
  out << proxy::shown_lines(shown_entry(found->read));
  return 0;
}

}  // namespace photofinish::gateway
