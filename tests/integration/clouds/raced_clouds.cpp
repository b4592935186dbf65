#include "tests/integration/clouds/raced_clouds.hpp"

#include "gateway/config/target_text.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/integration/clouds/claude_cloud.hpp"
#include "tests/integration/clouds/gemini_cloud.hpp"
#include "tests/integration/clouds/gpt_cloud.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

namespace photofinish::testing {
namespace {

struct cloud_row {
  const char* preset;
  const char* model;  // the beginning of the model's name in the built-in race group
  const char* host;
  // The path of requests that stream. MODEL stands for the model's name, and PROJECT for a project and location of Vertex AI.
  const char* streamed_path;
  const char* whole_path;
  const char* key_field;
  const char* key_prefix;
  const char* key;
};

constexpr const char* aws_keys = "AKIAEXAMPLE:wJalrXUtnFEMI/K7MDENG";
constexpr const char* vertex_host = "aiplatform.googleapis.com";
constexpr const char* mantle_host = "bedrock-mantle.us-east-1.api.aws";

// Paths and headers as the documentation of the clouds describes them.
constexpr std::array cloud_rows{
    cloud_row{"anthropic", "claude", "api.anthropic.com", "/v1/messages", "/v1/messages", "x-api-key", "", "sk-ant-0123456789"},
    cloud_row{"vertex-anthropic", "claude", vertex_host, "PROJECT/publishers/anthropic/models/MODEL:streamRawPredict",
              "PROJECT/publishers/anthropic/models/MODEL:rawPredict", "authorization", "Bearer ", "ya29.claude"},
    cloud_row{"azure-anthropic", "claude", "mine.services.ai.azure.com", "/anthropic/v1/messages", "/anthropic/v1/messages",
              "x-api-key", "", "foundry-0123456789"},
    cloud_row{"bedrock", "global.anthropic.claude", "bedrock-runtime.us-east-1.amazonaws.com", "/model/MODEL/invoke-with-response-stream",
              "/model/MODEL/invoke", "", "", aws_keys},
    cloud_row{"bedrock-mantle", "anthropic.claude", mantle_host, "/anthropic/v1/messages", "/anthropic/v1/messages", "authorization",
              "Bearer ", "ABSKmantle0123456789"},
    cloud_row{"openai", "gpt", "api.openai.com", "/v1/responses", "/v1/responses", "authorization", "Bearer ", "sk-proj-0123456789"},
    cloud_row{"azure", "gpt", "mine.openai.azure.com", "/openai/v1/responses", "/openai/v1/responses", "api-key", "", "azure-0123456789"},
    cloud_row{"bedrock-mantle", "openai.gpt", mantle_host, "/openai/v1/responses", "/openai/v1/responses", "authorization", "Bearer ",
              "ABSKmantle0123456789"},
    cloud_row{"gemini", "gemini", "generativelanguage.googleapis.com", "/v1beta/models/MODEL:streamGenerateContent?alt=sse",
              "/v1beta/models/MODEL:generateContent", "x-goog-api-key", "", "AIza0123456789"},
    cloud_row{"vertex-gemini", "gemini", vertex_host,
              "PROJECT/publishers/google/models/MODEL:streamGenerateContent?alt=sse",
              "PROJECT/publishers/google/models/MODEL:generateContent", "authorization", "Bearer ", "ya29.gemini"},
};

void fill_in(const std::string& word, const std::string& value, std::string& text) {
  if (const std::size_t place = text.find(word); place != std::string::npos) text.replace(place, word.size(), value);
}

std::string path_for(std::string path, const std::string& model) {
  fill_in("MODEL", model, path);
  fill_in("PROJECT", "/v1/projects/my-project/locations/global", path);
  return path;
}

cloud_target target_of(const gateway::target_name& name) {
  const auto is_it = [&name](const cloud_row& row) { return row.preset == name.provider && name.model.starts_with(row.model); };
  const auto* const row = std::find_if(cloud_rows.begin(), cloud_rows.end(), is_it);
  if (row == cloud_rows.end()) throw std::runtime_error("no stand-in for " + name.text());
  return {row->preset,    name.model,      row->host, path_for(row->streamed_path, name.model), path_for(row->whole_path, name.model),
          row->key_field, row->key_prefix, row->key};
}

std::vector<gateway::target_name> targets_of(const std::string& group) {
  const auto& groups = proxy::race_groups();
  const auto found = std::find_if(groups.begin(), groups.end(), [&group](const auto& each) { return each.name == group; });
  if (found == groups.end()) throw std::runtime_error("no race group " + group);
  std::vector<gateway::target_name> targets;
  for (const std::string& text : found->targets) targets.push_back(gateway::parse_target(text).value());
  return targets;
}

proxy::provider provider_of(const cloud_target& at) {
  const proxy::preset& known = proxy::presets().at(at.preset);
  const std::map<std::string, std::string> values{
      {"region", "us-east-1"}, {"resource", "mine"}, {"location", "global"}, {"project", "my-project"}};
  std::map<std::string, std::string> params;
  for (const auto& [placeholder, variable] : known.needs) params[placeholder] = values.at(placeholder);
  proxy::provider made = known.defaults;
  made.url = proxy::fill_base_url(known, params).url.value();
  made.key.value = proxy::secret(at.key);
  if (made.key.auth == proxy::auth_style::aws) made.key.aws_region = "us-east-1";
  return made;
}

}  // namespace

raced_clouds::raced_clouds(const std::string& group)
    : group_(group), network_([this](provider_call& call) { play(call); }) {
  const auto thinking = std::make_shared<signed_thinking>();
  for (const gateway::target_name& name : targets_of(group)) {
    const cloud_target at = target_of(name);
    if (group.starts_with("claude")) clouds_.push_back(std::make_unique<claude_cloud>(at, thinking));
    else if (group.starts_with("gpt")) clouds_.push_back(std::make_unique<gpt_cloud>(at));
    else clouds_.push_back(std::make_unique<gemini_cloud>(at));
  }
}

void raced_clouds::add_to(gateway::config& settings, proxy::upstream_stream stream) const {
  gateway::route& route = settings.routes[group_];
  route.name = group_;
  settings.route_order.push_back(group_);
  route.race.policy = racing::race_policy::all;
  route.race.max_parallel = clouds_.size();
  for (const auto& cloud : clouds_) {
    const cloud_target& at = cloud->at();
    route.targets.push_back({at.preset, at.model});
    proxy::provider& made = settings.providers[at.preset] = provider_of(at);
    made.url.is_tls = false;  // TLS is not used for any cloud, because the proxy's tunnel ends in this process
    made.url.port = 80;
    made.via = proxy::forward_proxy{.host = "127.0.0.1", .port = network_.port()};
    made.behaves.stream = stream;
    made.limits.connect_timeout = std::chrono::minutes(10);
  }
}

std::vector<std::string> raced_clouds::names() const {
  std::vector<std::string> all;
  for (const auto& cloud : clouds_) all.push_back(cloud->at().name());
  return all;
}

void raced_clouds::begin_turn(const std::string& winner) {
  const std::lock_guard held(guard_);
  winner_ = winner;
  bodies_.clear();
}

std::vector<std::string> raced_clouds::faults() const {
  const std::lock_guard held(guard_);
  return faults_;
}

std::string raced_clouds::body_at(const std::string& target) const {
  const std::lock_guard held(guard_);
  const auto found = bodies_.find(target);
  return found == bodies_.end() ? "" : found->second;
}

std::string raced_clouds::last_reasoning(const std::string& target) const {
  const std::lock_guard held(guard_);
  return cloud_named(target).last_reasoning();
}

cloud_stand_in* raced_clouds::cloud_at(const std::string& host) const {
  for (const auto& cloud : clouds_)
    if (cloud->at().host == host) return cloud.get();
  return nullptr;
}

cloud_stand_in& raced_clouds::cloud_named(const std::string& target) const {
  for (const auto& cloud : clouds_)
    if (cloud->at().name() == target) return *cloud;
  throw std::runtime_error("no cloud " + target);
}

bool raced_clouds::has_faults() const {
  const std::lock_guard held(guard_);
  return !faults_.empty();
}

bool raced_clouds::may_answer() const {
  const std::lock_guard held(guard_);
  return !faults_.empty() || bodies_.size() == clouds_.size();
}

void raced_clouds::play(provider_call& call) {
  const received_request& request = call.request();
  if (request.head.starts_with("CONNECT ")) {
    call.send("HTTP/1.1 200 OK\r\n\r\n");
    return;
  }
  cloud_stand_in* const cloud = cloud_at(request.field("host"));
  if (cloud == nullptr) {
    const std::lock_guard held(guard_);
    faults_.push_back("unknown host " + request.field("host"));
    return call.answer(404, "{}");
  }
  const std::string name = cloud->at().name();
  std::string fault;
  {
    const std::lock_guard held(guard_);
    fault = cloud->fault_of(request);
    if (fault.empty() && !bodies_.emplace(name, request.body).second) fault = "asked twice in one turn";
    if (!fault.empty()) faults_.push_back(name + ": " + fault + " in " + request.head + "\n" + request.body);
  }
  if (!fault.empty()) return cloud->refuse(call, fault);
  answer_or_wait(*cloud, call);
}

// Waits until it is this cloud's turn to win. After any cloud has found a fault, no cloud can win, and the waiting clouds give up before
// the test's time limit.
void raced_clouds::answer_or_wait(cloud_stand_in& cloud, provider_call& call) {
  bool is_winner = false;
  {
    const std::lock_guard held(guard_);
    is_winner = winner_ == cloud.at().name();
  }
  if (!call.wait_until([&] { return is_winner ? may_answer() : has_faults(); })) return;
  if (has_faults()) return cloud.refuse(call, "another cloud refused its request");
  const std::lock_guard held(guard_);
  cloud.answer(call);
}

}  // namespace photofinish::testing
