#include "gateway/commands/health.hpp"

#include "gateway/commands/config_option.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/http/http1_exchange.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/url.hpp"

#include <CLI/CLI.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

struct health_options {
  std::string url;
  std::string config_file;
  bool is_live_enough = false;
};

struct probe_answer {
  int status = 0;  // 0: none came
  std::string problem;
};

// The first of "host:port,host:port", as PHOTOFINISH_LISTEN has them.
std::optional<listen_address> first_of(const std::string& list) {
  return parse_listen_address(list.substr(0, list.find(',')));
}

std::string host_header(const proxy::base_url& url) {
  const std::string origin = proxy::to_string(proxy::base_url{url.is_tls, url.host, url.port, {}});
  return origin.substr(origin.find("://") + 3);
}

asio::awaitable<void> ask(proxy::outbound& over, proxy::provider of, health_question question, probe_answer& into) {
  {
    proxy::http1_exchange exchange(over.pool(), of, over.scratch());
    proxy::alarm limit(over.alarms(), [&exchange] { exchange.cancel(); });
    limit.arm(over.alarms().now() + question.patience);
    proxy::request_head head;
    head.method = "GET";
    head.path = question.path;
    head.host = host_header(of.url);
    const auto answer = co_await exchange.start(head, {});
    if (answer) into.status = answer->status;
    else if (!limit.is_armed()) into.problem = "no answer within " + std::to_string(question.patience.count()) + " ms";
    else if (answer.error().detail.empty()) into.problem = to_string(answer.error().kind);
    else into.problem = answer.error().detail;
    exchange.cancel();
  }
  co_await over.stop();
}

probe_answer answer_of(const proxy::base_url& url, const health_question& question) {
  proxy::provider gateway;
  gateway.name = "gateway";
  gateway.url = url;
  gateway.limits.max_spares = 0;
  probe_answer answer;
  asio::io_context loop(1);
  proxy::outbound over(loop);
  std::exception_ptr bug;
  asio::co_spawn(loop, ask(over, gateway, question, answer), [&bug](std::exception_ptr error) { bug = error; });
  loop.run();
  if (bug) std::rethrow_exception(bug);
  return answer;
}

std::string explain(const probe_answer& answer) {
  if (answer.status == 0) return answer.problem;
  if (answer.status == 503) return "draining (503)";
  std::string text = "status " + std::to_string(answer.status);
  if (answer.status == 404) text += ": not photofinish, or its probes are on its `admin` address; give that as URL";
  return text;
}

int check_health(const health_options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  health_question question;
  if (options.is_live_enough) question.path = "/livez";
  question.url = options.url.empty() ? probe_url(options.config_file, process_environment()) : options.url;
  if (!question.url.empty()) return run_health(question, std::cout, std::cerr);
  std::cerr << "error: the configuration leaves the port to the system (port 0): give the gateway's URL\n";
  return 1;
}

}  // namespace

std::string probe_url(const std::optional<std::string>& config_flag, const environment& machine) {
  // What is wrong with the file is not asked here: a gateway that runs keeps what it has read.
  const config settings = load_config(find_config(config_flag, machine), machine).settings;
  listen_address at = settings.listen.empty() ? config().listen.front() : settings.listen.front();
  if (const auto named = first_of(machine.variable("PHOTOFINISH_LISTEN").value_or(""))) at = *named;
  if (settings.admin) at = *settings.admin;
  if (at.port == 0) return {};
  if (at.host == "0.0.0.0") at.host = "127.0.0.1";
  if (at.host == "::") at.host = "::1";
  return "http://" + to_string(at);
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
  CLI::App* command = app.add_subcommand("health", "Whether a running gateway is ready: exit 0 or 1");
  const auto options = std::make_shared<health_options>();  // lives as long as the callback that CLI11 keeps
  command->add_option("URL,--url", options->url,
                      "The gateway, or its admin address (else what the configuration and PHOTOFINISH_LISTEN say)");
  add_config_option(*command, options->config_file);
  command->add_flag("--live", options->is_live_enough, "Ask only whether it lives (/livez): draining is fine");
  command->callback([options, &exit_code] { exit_code = check_health(*options); });
}

}  // namespace photofinish::gateway
