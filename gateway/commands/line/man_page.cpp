#include "gateway/commands/line/man_page.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/process/version.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>

namespace photofinish::gateway::commands {
namespace {

// Escapes a line of text for roff. There '-' means a hyphen, '\' begins an escape, and a leading '.' or
// ''' begins a macro.
std::string escaped(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    const bool begins_line = made.empty() || made.back() == '\n';
    if (begins_line && (letter == '.' || letter == '\'')) made += "\\&";
    if (letter == '-') made += "\\-";
    else if (letter == '\\') made += "\\e";
    else made += letter;
  }
  return made;
}

std::string heading_of(const argument& of) {
  std::string text;
  for (const std::string& name : of.names)
    text += (text.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  if (!of.is_positional && !of.value.empty()) text += " \\fI" + escaped(of.value) + "\\fR";
  return text;
}

std::string paragraph_of(const argument& of) {
  std::string text = ".TP\n" + heading_of(of) + "\n" + escaped(of.description);
  if (!of.fallback.empty()) text += " (default: " + escaped(of.fallback) + ")";
  return text + ".\n";
}

std::string usage_of(const command& of) {
  std::string text = "\\fBphotofinish " + escaped(of.name) + "\\fR [options]";
  for (const argument& each : of.arguments) {
    if (!each.is_positional) continue;
    const std::string name = "\\fI" + each.names[0] + "\\fR";
    text += each.is_required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string section_of(const command& of) {
  std::string text = ".SS " + escaped(of.name) + "\n" + usage_of(of) + "\n.PP\n" + escaped(of.description) + ".\n";
  for (const argument& each : of.arguments) text += paragraph_of(each);
  if (!of.notes.empty()) text += ".PP\n.nf\n" + escaped(of.notes) + "\n.fi\n";
  return text;
}

constexpr std::string_view environment = R"(.SH ENVIRONMENT
.TP
\fBPHOTOFINISH_CONFIG\fR
The configuration file, where no \fB\-\-config\fR names one.
.TP
\fBPHOTOFINISH_LISTEN\fR
Where to listen, separated by commas, where no \fB\-\-listen\fR says so.
.TP
\fBPHOTOFINISH_DEMO\fR
1: as \fBserve \-\-demo\fR.
.PP
Each known provider's key has a variable of its own: \fBphotofinish providers\fR lists them.
.SH FILES
.TP
\fI./photofinish.yaml\fR
The configuration, where nothing else names one.
.TP
\fI$STATE_DIRECTORY\fR, \fI$XDG_STATE_HOME/photofinish\fR, \fI~/.local/state/photofinish\fR
The first that is known holds the statistics of the last 72 hours.
.SH SIGNALS
SIGTERM stops \fBserve\fR after its running requests, a second one at once; SIGHUP reads the configuration again.
.SH EXIT STATUS
0: all is well. 1: it failed while it ran. 2: a wrong command line or configuration.
)";

}  // namespace

std::string man_page(const command_tree& tree, std::string_view version) {
  std::string text = ".TH PHOTOFINISH 1 \"\" \"photofinish " + escaped(version) + "\" \"User Commands\"\n" +
                     ".SH NAME\nphotofinish \\- races LLM providers and streams the answer whose first token arrives "
                     "first\n" +
                     ".SH SYNOPSIS\n\\fBphotofinish\\fR \\fICOMMAND\\fR [options]\n.SH DESCRIPTION\n" +
                     escaped(tree.root.description) + ".\n.SH OPTIONS\n";
  for (const argument& each : tree.root.arguments) text += paragraph_of(each);
  text += ".SH COMMANDS\n";
  for (const command& each : tree.commands) text += section_of(each);
  return text + std::string(environment);
}

void add_man_command(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page: photofinish man | man -l -")->callback([&app] {
    std::cout << man_page(read_commands(app), version);
  });
}

}  // namespace photofinish::gateway::commands
