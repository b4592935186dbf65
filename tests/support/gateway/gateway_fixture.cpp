#include "tests/support/gateway/gateway_fixture.hpp"

#include "gateway/config/target_text.hpp"

#include "gateway/server/server.hpp"
#include "tests/support/gateway/captured_log.hpp"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace photofinish::testing {
namespace {

// Creates the logger before any thread starts, as the gateway itself does.
[[maybe_unused]] const bool logger_made_early = captured_log::prepare();

}  // namespace

struct running_gateway::state {
  std::unique_ptr<gateway::server> server;
  std::mutex guard;
  std::condition_variable drained;
  bool is_drained = false;
  std::thread waiter;  // calls server::wait(), which blocks without a time limit
};

running_gateway::running_gateway(const gateway::config& settings, gateway::housekeeping keeping,
                                 gateway::protocols speaks)
    : state_(std::make_unique<state>()) {
  auto started = gateway::server::start(std::make_shared<const gateway::config>(settings), {"0", "test", "test"},
                                        std::move(keeping), speaks);
  if (const auto* why_not = std::get_if<std::string>(&started)) throw std::runtime_error(*why_not);
  state_->server = std::get<std::unique_ptr<gateway::server>>(std::move(started));
  state_->waiter = std::thread([at = state_.get()] {
    at->server->wait();
    const std::lock_guard held(at->guard);
    at->is_drained = true;
    at->drained.notify_all();
  });
}

running_gateway::~running_gateway() {
  state_->server->cut();
  state_->server->cut();  // the first call lets clients read their errors; the second call closes all connections
  state_->waiter.join();
}

std::uint16_t running_gateway::port() const { return state_->server->addresses().at(0).port; }
std::uint16_t running_gateway::admin_port() const { return state_->server->admin_address().value().port; }
void running_gateway::reload(const gateway::config& settings) {
  state_->server->reload(std::make_shared<const gateway::config>(settings));
}
void running_gateway::leave() { state_->server->leave(); }
void running_gateway::drain() { state_->server->drain(); }
void running_gateway::cut() { state_->server->cut(); }

bool running_gateway::is_drained() {
  std::unique_lock held(state_->guard);
  return state_->drained.wait_for(held, patience, [this] { return state_->is_drained; });
}

proxy::provider local_provider(const std::string& name, std::uint16_t port) {
  proxy::provider made;
  made.name = name;
  made.url = {.is_tls = false, .host = "127.0.0.1", .port = port, .path = "/v1"};
  made.key.auth = proxy::auth_style::bearer;
  made.key.is_optional = true;
  // The timeouts are long, because a busy machine may delay a healthy provider.
  made.limits.connect_timeout = made.limits.tls_timeout = std::chrono::minutes(10);
  return made;
}

gateway_fixture::gateway_fixture() {
  std::signal(SIGPIPE, SIG_IGN);
  settings.server.listen = {{"127.0.0.1", 0}};
  settings.server.is_listen_default = false;
  settings.server.workers = 1;
}

proxy::provider& gateway_fixture::add(const std::string& name, const scripted_provider& at) {
  return settings.providers[name] = local_provider(name, at.port());
}

gateway::route& gateway_fixture::add_route(const std::string& name, std::initializer_list<std::string_view> targets,
                                           racing::race_policy policy) {
  gateway::route& made = settings.routes[name];
  made.name = name;
  settings.route_order.push_back(name);
  for (const std::string_view target : targets) {
    const std::size_t slash = target.find('/');
    const std::string provider(target.substr(0, slash));
    const auto known = settings.providers.find(provider);
    const proxy::provider unknown;
    made.targets.push_back(gateway::target_at(known == settings.providers.end() ? unknown : known->second, provider,
                                              target.substr(slash + 1)));
  }
  made.race.policy = policy;
  return made;
}

http_response gateway_fixture::post(std::string_view body, std::string_view fields) {
  test_client client = connect();
  client.post(body, fields);
  return client.read();
}

http_response gateway_fixture::get(std::string_view path, std::string_view fields) {
  test_client client = connect();
  client.get(path, fields);
  return client.read();
}

double gateway_fixture::metric(std::string_view name, std::initializer_list<std::string_view> labels) {
  std::string key;
  if (!settings.access.keys.empty())
    key = "authorization: Bearer " + std::string(settings.access.keys[0].key.reveal()) + "\r\n";
  std::istringstream page(get("/metrics", key).body);
  double sum = 0;
  for (std::string line; std::getline(page, line);) {
    const std::size_t name_end = line.find_first_of("{ ");
    if (line.substr(0, name_end) != name) continue;
    const auto holds = [&line](std::string_view label) { return line.find(label) != std::string::npos; };
    if (std::all_of(labels.begin(), labels.end(), holds)) sum += std::stod(line.substr(line.rfind(' ')));
  }
  return sum;
}

void gateway_fixture::expect_metric(double value, std::string_view name, std::initializer_list<std::string_view> labels) {
  comes_true([&] { return metric(name, labels) == value; });
  std::string text(name);
  for (const std::string_view label : labels) text += " " + std::string(label);
  EXPECT_EQ(metric(name, labels), value) << text;
}

std::string streamed(std::string_view model, std::string_view more) {
  return R"({"model":")" + std::string(model) + R"(","messages":[{"role":"user","content":"hi"}],"stream":true)" +
         std::string(more) + "}";
}

std::string whole(std::string_view model, std::string_view more) {
  return R"({"model":")" + std::string(model) + R"(","messages":[{"role":"user","content":"hi"}])" + std::string(more) + "}";
}

double milliseconds_between(test_clock::time_point from, test_clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

}  // namespace photofinish::testing
