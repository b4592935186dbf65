// The settings of section_reader that hold several values, or a secret.
#include "gateway/config/config_reader.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

bool section_reader::read_choices(std::string_view name, const yaml_node& node, std::vector<std::string>& into) const {
  if (node.kind != yaml_kind::sequence) return wrong_type(node, name, "a list of words, as in [a, b]");
  if (node.items.empty()) return error(name, "must not be empty"), false;
  std::vector<std::string> words;
  for (const yaml_node& item : node.items)
    if (const auto word = choice(name, item)) words.emplace_back(*word);
  if (words.size() < node.items.size()) return false;
  into = std::move(words);
  return true;
}

bool section_reader::read(std::string_view name, std::vector<std::string>& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  const setting_type type = find_setting(where_, name)->type;
  if (type == setting_type::choices) return read_choices(name, *node, into);
  if (type == setting_type::text_or_texts && node->kind != yaml_kind::sequence) {
    std::string text;
    const bool is_right = read(name, text);
    if (is_right) into = {std::move(text)};
    return is_right;
  }
  if (node->kind != yaml_kind::sequence) return wrong_type(*node, name, "a list of text, as in [a, b]");
  const bool may_be_file = type == setting_type::secrets;
  std::vector<std::string> texts;
  bool is_right = true;
  for (const yaml_node& item : node->items) {
    std::optional<std::string> text = words(name, item);
    if (text && may_be_file) text = secret_text(name, item, std::move(*text));
    if (text && text->empty()) shared_.error(item.at, std::string(name) + ": holds an empty text");
    if (!text || text->empty()) {
      is_right = false;
      texts.emplace_back();  // keeps the places of those behind it
    } else {
      texts.push_back(std::move(*text));
    }
  }
  if (is_right) into = std::move(texts);
  return is_right;
}

bool section_reader::read(std::string_view name, std::map<std::string, std::string>& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (node->kind != yaml_kind::map) return wrong_type(*node, name, "a map of text, as in {name: text}");
  const bool may_be_file = find_setting(where_, name)->type == setting_type::secret_map;
  std::map<std::string, std::string> texts;
  bool is_right = true;
  for (const yaml_member& member : node->members) {
    std::optional<std::string> text = words(name, member.value);
    if (text && may_be_file) text = secret_text(name, member.value, std::move(*text));
    is_right = is_right && text.has_value();
    if (text) texts.emplace(member.key, std::move(*text));
  }
  if (is_right) into = std::move(texts);
  return is_right;
}

bool section_reader::read(std::string_view name, proxy::secret& into, empty_text may_be) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  std::optional<std::string> text = words(name, *node);
  if (text) text = secret_text(name, *node, std::move(*text), may_be);
  if (!text) return false;
  if (text->empty() && may_be == empty_text::refused) return error(name, "must not be empty"), false;
  into = proxy::secret(std::move(*text));
  return true;
}

// What is written decides whether it is a file, so that no variable's value can name one.
std::optional<std::string> section_reader::secret_text(std::string_view name, const yaml_node& node,
                                                       std::string expanded, empty_text may_be) const {
  if (!file_reference(node.text)) return expanded;
  const std::string path(*file_reference(expanded));
  expanded_text content = read_secret_file(path, shared_.machine);
  const bool is_absolute = path.starts_with('/');
  if (!content.problem.empty() && is_absolute && shared_.may_miss("file:" + path)) return std::nullopt;
  if (content.problem.empty() && content.text.empty() && may_be == empty_text::refused)
    content.problem = "the file " + path + " is empty";
  if (!content.problem.empty()) {
    shared_.error(node.at, std::string(name) + ": " + content.problem);
    return std::nullopt;
  }
  auto& watched = shared_.watched_files;
  if (std::find(watched.begin(), watched.end(), path) == watched.end()) {
    watched.push_back(path);
    if (content.is_open_to_all) shared_.warn_of_open_file(node.at, name, path);
  }
  return std::move(content.text);
}

}  // namespace photofinish::gateway
