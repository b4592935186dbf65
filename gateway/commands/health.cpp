#include "gateway/commands/health.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/fetch.hpp"
#include "proxy/providers/url.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <utility>

namespace photofinish::gateway {

namespace {

struct health_options {
  std::string url;
  std::string config_file;
  bool is_live_enough = false;
};

constexpr std::size_t longest_health_text = 200;

struct probe_answer {
  int status = 0;  // the HTTP status; 0 if there was no answer
  std::string problem;  // the text of the answer, or the reason why there was none
};

// Returns the first address of a list such as "host:port,host:port", which is the form of PHOTOFINISH_LISTEN.
std::optional<listen_address> first_of(const std::string& list) {
  return parse_listen_address(list.substr(0, list.find(',')));
}

probe_answer answer_of(const proxy::base_url& gateway, const health_question& question) {
  proxy::fetch_request request{.head = {.method = "GET", .path = question.path},
                               .patience = question.patience,
                               .max_body = longest_health_text};
  const auto answer = proxy::fetch_alone(gateway, std::move(request));
  if (answer) return {answer->head.status, proxy::clean_text(answer->body, longest_health_text)};
  const proxy::failure& why = answer.error();
  if (why.kind == proxy::failure_kind::timeout)
    return {0, "no answer within " + std::to_string(question.patience.count()) + " ms"};
  return {0, why.detail.empty() ? std::string(to_string(why.kind)) : why.detail};
}

std::string explain(const probe_answer& answer) {
  if (answer.status == 0) return answer.problem;
  if (answer.status == 503) return (answer.problem.empty() ? "not ready" : answer.problem) + " (503)";
  std::string text = "status " + std::to_string(answer.status);
  if (answer.status == 404) text += ": this is not photofinish, or the probes are on the gateway's `admin` address; in "
                                    "that case, give that address as URL";
  return text;
}

int check_health(const health_options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  health_question question;
  if (options.is_live_enough) question.path = "/livez";
  question.url = options.url.empty() ? probe_url(options.config_file, process_environment()) : options.url;
  if (!question.url.empty()) return run_health(question, std::cout, std::cerr);
  std::cerr << "error: the configuration lets the system choose the port (port 0): give the gateway's URL\n";
  return 1;
}

}  // namespace

std::string probe_url(const std::optional<std::string>& config_flag, const environment& machine) {
  // The command ignores errors in the configuration file. A running gateway is not affected by them, because it keeps
  // the settings that it has read before.
  const config settings = load_config(find_config(config_flag, machine), machine).settings;
  listen_address at = settings.server.listen.empty() ? config().server.listen.front() : settings.server.listen.front();
  if (const auto named = first_of(machine.variable("PHOTOFINISH_LISTEN").value_or(""))) at = *named;
  bool has_tls = settings.server.ingress.tls.has_value();
  if (settings.server.admin) {
    at = *settings.server.admin;
    has_tls = has_tls && settings.server.ingress.tls->covers_admin;
  }
  if (at.port == 0) return {};
  if (at.host == "0.0.0.0") at.host = "127.0.0.1";
  if (at.host == "::") at.host = "::1";
  return (has_tls ? "https://" : "http://") + to_string(at);
}

int run_health(const health_question& question, std::ostream& out, std::ostream& err) {
  const auto parsed = proxy::parse_base_url(question.url);
  if (!parsed.url) return err << "error: " << parsed.problem << '\n', 1;
  const proxy::base_url origin{parsed.url->is_tls, parsed.url->host, parsed.url->port, {}};
  const std::string asked = proxy::to_string(origin) + question.path;
  const probe_answer answer = answer_of(origin, question);
  if (answer.status == 200) return out << "ok: " << asked << '\n', 0;
  return err << "error: " << asked << ": " << explain(answer) << '\n', 1;
}

void add_health_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("health", "Check whether a running gateway is ready: exit 0 or 1");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<health_options>();
  command->add_option("URL,--url", options->url,
                      "The URL of the gateway or of its admin address (default: from the configuration and "
                      "PHOTOFINISH_LISTEN)");
  add_config_option(*command, options->config_file);
  command->add_flag("--live", options->is_live_enough,
                    "Check only whether the gateway is alive (/livez); a draining gateway is also alive");
  command->callback([options, &exit_code] { exit_code = check_health(*options); });
}

}  // namespace photofinish::gateway
