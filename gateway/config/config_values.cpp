#include "gateway/config/config_values.hpp"

#include "gateway/config/yaml/near_name.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/providers/presets.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && !proxy::is_digit(name.front()) && proxy::consists_of_letters(name, "_");
}

// Returns a message that a variable is not set. The message lists the variables of providers' keys that are set,
// because the user probably meant one of them.
std::string unset(const std::string& name, const environment& machine) {
  std::vector<std::string> set;
  for (const auto& [preset_name, preset] : proxy::presets())
    for (const std::string& variable : preset.key_variables)
      if (machine.variable(variable)) set.push_back(variable);
  const auto near = nearest(name, set);
  return "the variable " + name + " is not set" + (near ? "; did you mean " + *near + "?" : "");
}

// Appends the value of the variable between ${ and }. Returns an error text, or an empty text.
std::string append_variable(std::string_view inside, const environment& machine, expanded_text& into) {
  const std::size_t mark = inside.find(":-");
  const std::string name(inside.substr(0, mark));
  if (!is_variable_name(name)) return "'${" + std::string(inside) + "}' is not a variable's name";
  if (const auto value = machine.variable(name)) {
    into.text += *value;
    into.variables.push_back({name, *value});
  } else if (mark != std::string_view::npos) {
    into.text += inside.substr(mark + 2);
  } else {
    into.unset = "${" + name + "}";
    return unset(name, machine);
  }
  return {};
}

}  // namespace

expanded_text expand(std::string_view text, const environment& machine) {
  expanded_text result;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    result.text += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    if (text.starts_with("$$")) {
      result.text += '$';
      text.remove_prefix(2);
      continue;
    }
    const std::size_t end = text.find('}');
    if (!text.starts_with("${") || end == std::string_view::npos)
      return {{}, "a '$' must begin ${NAME}; write $$ for the character itself"};
    std::string problem = append_variable(text.substr(2, end - 2), machine, result);
    if (!problem.empty()) return {{}, std::move(problem), {}, false, std::move(result.unset)};
    text.remove_prefix(end + 1);
  }
  return result;
}

bool has_variable(std::string_view text) { return text.find("${") != std::string_view::npos; }

std::optional<std::string_view> file_reference(std::string_view text) {
  constexpr std::string_view scheme = "file:";
  return text.starts_with(scheme) ? std::optional(text.substr(scheme.size())) : std::nullopt;
}

expanded_text read_secret_file(const std::string& path, const environment& machine) {
  if (!path.starts_with('/')) return {{}, "file: needs an absolute path, as in file:/run/secrets/key"};
  auto [text, problem, is_open_to_all] = machine.read_file(path);
  if (!problem.empty()) return {{}, "the file " + path + ": " + problem};
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return {std::move(text), {}, {}, is_open_to_all};
}

}  // namespace photofinish::gateway
