#include "gateway/commands/line/completion.hpp"

#include "gateway/commands/commands.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string_view>

namespace photofinish::gateway::commands {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : std::string(between)) + each;
  return text;
}

// Puts a text into single quotes for a shell. Each single quote in the text is replaced by `quote`, which closes the
// quoted text, adds an escaped quote, and opens a new quoted text.
std::string in_quotes(std::string_view text, std::string_view quote = "'\\''") {
  std::string made = "'";
  for (const char letter : text) letter == '\'' ? made += quote : made += letter;
  return made + "'";
}

std::vector<std::string> option_names(const command& of) {
  std::vector<std::string> names;
  for (const argument& each : of.arguments)
    if (!each.is_positional) names.insert(names.end(), each.names.begin(), each.names.end());
  return names;
}

// Returns the allowed words of the command's positional argument, for example the shells of `completion`.
std::vector<std::string> positional_words(const command& of) {
  for (const argument& each : of.arguments)
    if (each.is_positional) return each.words;
  return {};
}

// Completes the value of an option with its allowed words, or with file names if any value is allowed.
std::string bash_values(const command& of) {
  std::string text;
  for (const argument& each : of.arguments) {
    if (each.is_positional || each.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : each.names) patterns.push_back("\"" + of.name + " " + name + "\"");
    text += "    " + joined(patterns, "|") + ") COMPREPLY=($(compgen ";
    text += each.words.empty() ? "-f" : "-W " + in_quotes(joined(each.words, " "));
    text += " -- \"$word\")); return ;;\n";
  }
  return text;
}

// Escapes the characters that have a special meaning in zsh's option specifications.
std::string zsh_escaped(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') made += '\\';
    made += letter;
  }
  return made;
}

std::string zsh_value(const argument& of) {
  if (of.value.empty()) return {};
  std::string text = ":" + zsh_escaped(of.value) + ":";
  if (!of.words.empty()) return text + "(" + joined(of.words, " ") + ")";
  return of.takes_file() ? text + "_files" : text;
}

std::string zsh_arguments(const command& of) {
  std::string text;
  for (const argument& each : of.arguments) {
    if (each.is_positional) {
      text += " \\\n        " + in_quotes(zsh_value(each));
      continue;
    }
    for (const std::string& name : each.names)
      text += " \\\n        " + in_quotes(name + "[" + zsh_escaped(each.description) + "]" + zsh_value(each));
  }
  return text;
}

std::string fish_option(const argument& of, const std::string& condition) {
  std::string text = "complete -c photofinish -n " + in_quotes(condition, "\\'");
  for (const std::string& name : of.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!of.value.empty()) text += of.takes_file() ? " -r -F" : " -x";
  if (!of.words.empty()) text += " -a " + in_quotes(joined(of.words, " "));
  return text + " -d " + in_quotes(of.description, "\\'") + "\n";
}

}  // namespace

std::string bash_completion(const command_tree& tree) {
  const std::string commands = joined(names_of(tree.commands), " ");
  std::string text = "# bash completion for photofinish:  source <(photofinish completion bash)\n_photofinish() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
                     "  COMPREPLY=()\n"
                     "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n      " +
                     joined(names_of(tree.commands), "|") +
                     ") command=${COMP_WORDS[i]}; break ;;\n    esac\n  done\n  case \"$command $previous\" in\n";
  for (const command& each : tree.commands) text += bash_values(each);
  text += "  esac\n  case $command in\n    '') COMPREPLY=($(compgen -W " +
          in_quotes(commands + " " + joined(option_names(tree.root), " ")) + " -- \"$word\")) ;;\n";
  for (const command& each : tree.commands) {
    const std::string words = joined(each.name == "help" ? names_of(tree.commands) : positional_words(each), " ");
    text += "    " + each.name + ")\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W " +
            in_quotes(joined(option_names(each), " ")) + " -- \"$word\"))\n";
    if (!words.empty()) text += "      else COMPREPLY=($(compgen -W " + in_quotes(words) + " -- \"$word\"))\n";
    text += "      fi ;;\n";
  }
  return text + "  esac\n}\ncomplete -o default -F _photofinish photofinish\n";
}

std::string zsh_completion(const command_tree& tree) {
  std::string text = "#compdef photofinish\n# zsh completion for photofinish:  photofinish completion zsh > "
                     "\"${fpath[1]}/_photofinish\"\n_photofinish() {\n  local context state state_descr line\n"
                     "  typeset -A opt_args\n  local -a commands\n  commands=(\n";
  for (const command& each : tree.commands)
    text += "    " + in_quotes(each.name + ":" + zsh_escaped(each.description)) + "\n";
  text += "  )\n  _arguments -C" + zsh_arguments(tree.root) +
          " \\\n        '1:command:->command' '*::argument:->argument'\n  case $state in\n"
          "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (const command& each : tree.commands) {
    text += "      " + each.name + ") ";
    text += each.name == "help" ? "_describe command commands" : "_arguments" + zsh_arguments(each);
    text += " ;;\n";
  }
  return text + "      esac ;;\n  esac\n}\nif [ \"$funcstack[1]\" = _photofinish ]; then _photofinish \"$@\"; "
                "else compdef _photofinish photofinish; fi\n";
}

std::string fish_completion(const command_tree& tree) {
  std::string text = "# fish completion for photofinish:  photofinish completion fish | source\n"
                     "complete -c photofinish -n __fish_use_subcommand -f\n";
  for (const argument& each : tree.root.arguments) text += fish_option(each, "__fish_use_subcommand");
  for (const command& each : tree.commands) {
    text += "complete -c photofinish -n __fish_use_subcommand -f -a " + each.name + " -d " +
            in_quotes(each.description, "\\'") + "\n";
    const std::string condition = "__fish_seen_subcommand_from " + each.name;
    const auto words = each.name == "help" ? names_of(tree.commands) : positional_words(each);
    if (!words.empty())
      text += "complete -c photofinish -n " + in_quotes(condition) + " -f -a " + in_quotes(joined(words, " ")) + "\n";
    for (const argument& option : each.arguments)
      if (!option.is_positional) text += fish_option(option, condition);
  }
  return text;
}

void add_completion_command(CLI::App& app) {
  CLI::App* completion = app.add_subcommand("completion", "Print a completion script for a shell");
  // CLI11 runs the command after this function has returned. Therefore the value is in a shared pointer.
  const auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, shell] {
    const command_tree tree = read_commands(app);
    const auto write = *shell == "bash" ? bash_completion : *shell == "zsh" ? zsh_completion : fish_completion;
    std::cout << write(tree);
  });
}

}  // namespace photofinish::gateway::commands
