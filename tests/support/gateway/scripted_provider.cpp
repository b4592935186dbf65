#include "tests/support/gateway/scripted_provider.hpp"

#include "tests/support/patience.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <stdexcept>
#include <utility>

namespace photofinish::testing {
namespace {

std::string head_of(int status, std::string_view content_type, std::string_view fields) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Type: " + std::string(content_type) + "\r\n" +
         std::string(fields);
}

std::string hex(std::size_t value) {
  std::string digits;
  for (; value > 0; value /= 16) digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  return digits;
}

std::string chunk_of(std::string_view bytes) {
  return hex(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n";
}

std::string chunk_with(std::string_view delta, std::string_view finish) {
  return R"({"id":"c-1","object":"chat.completion.chunk","created":1763700000,"model":"m","choices":[{"index":0,"delta":)" +
         std::string(delta) + R"(,"finish_reason":)" + std::string(finish) + "}]}";
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return out;
}

}  // namespace

std::string received_request::field(std::string_view lower_case_name) const {
  for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
    const std::string line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || lower(line.substr(0, colon)) != lower_case_name) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

bool provider_call::wait(milliseconds time) {
  if (!is_over_ && time.count() > 0) is_over_ = client_.ends_within(time);
  return !is_over_;
}

bool provider_call::wait_until(const std::function<bool()>& it) {
  while (!is_over_ && !it()) wait(milliseconds(1));
  return !is_over_;
}

void provider_call::hang() { wait(std::chrono::minutes(10)); }

bool provider_call::send(std::string_view bytes) {
  if (is_over_ || !client_.write(bytes)) return false;
  sent_ += bytes.size();
  return true;
}

void provider_call::answer(int status, std::string_view body, std::string_view fields, std::string_view content_type) {
  send(head_of(status, content_type, fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
       std::string(body));
}

void provider_call::stream_head() { send(head_of(200, "text/event-stream", "Transfer-Encoding: chunked\r\n\r\n")); }

bool provider_call::chunk(std::string_view bytes) { return send(chunk_of(bytes)); }

bool provider_call::event(std::string_view json) { return chunk("data: " + std::string(json) + "\n\n"); }

void provider_call::end() { send(chunk_of("data: [DONE]\n\n") + "0\r\n\r\n"); }

void provider_call::close() {
  client_.close();
  is_over_ = true;
}

void provider_call::reset() {
  client_.reset();
  is_over_ = true;
}

scripted_provider::scripted_provider(script play)
    : play_(std::move(play)), server_([this](peer& client) { serve(client); }) {}

void scripted_provider::serve(peer& client) {
  received_request request;
  {
    const std::lock_guard held(guard_);
    request.connection = connections_++;
  }
  std::string pending;
  while (receive(client, pending, request)) {
    provider_call call(client, request, sent_);
    play_(call);
    if (call.is_over()) break;
  }
  const std::lock_guard held(guard_);
  closed_.emplace(request.connection, test_clock::now());
  changed_.notify_all();
}

bool scripted_provider::receive(peer& client, std::string& pending, received_request& request) {
  std::size_t head_end, body_bytes = 0;
  while ((head_end = pending.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = client.read_some();
    if (more.empty()) return false;
    pending += more;
  }
  request.head = pending.substr(0, head_end);
  if (const std::string length = request.field("content-length"); !length.empty()) body_bytes = std::stoul(length);
  while (pending.size() < head_end + 4 + body_bytes) {
    const std::string more = client.read_some();
    if (more.empty()) return false;
    pending += more;
  }
  request.body = pending.substr(head_end + 4, body_bytes);
  request.arrived_at = test_clock::now();
  pending.erase(0, head_end + 4 + body_bytes);
  const std::lock_guard held(guard_);
  requests_.push_back(request);
  changed_.notify_all();
  return true;
}

bool scripted_provider::await(const std::function<bool()>& has_come) const {
  std::unique_lock held(guard_);
  return changed_.wait_for(held, patience, has_come);
}

std::vector<received_request> scripted_provider::requests() const {
  const std::lock_guard held(guard_);
  return requests_;
}

received_request scripted_provider::request(std::size_t index) const {
  if (!await([&] { return requests_.size() > index; })) throw std::runtime_error("no such request came");
  const std::lock_guard held(guard_);
  return requests_[index];
}

test_clock::time_point scripted_provider::closed_at(const received_request& request) const {
  if (!await([&] { return closed_.contains(request.connection); })) throw std::runtime_error("the connection stays open");
  const std::lock_guard held(guard_);
  return closed_.at(request.connection);
}

std::size_t scripted_provider::open_connections() const {
  const std::lock_guard held(guard_);
  std::map<int, bool> carried;
  for (const received_request& each : requests_) carried[each.connection] = !closed_.contains(each.connection);
  return static_cast<std::size_t>(std::count_if(carried.begin(), carried.end(), [](const auto& each) { return each.second; }));
}

std::string role_chunk() { return chunk_with(R"({"role":"assistant","content":""})", "null"); }

std::string token_chunk(std::string_view text) { return chunk_with(R"({"content":")" + std::string(text) + "\"}", "null"); }

std::string megabyte_chunk() {
  std::string words;
  while (words.size() < 1u << 20) words += "xxx ";
  return token_chunk(words);
}

std::string finish_chunk(std::string_view reason) { return chunk_with("{}", "\"" + std::string(reason) + "\""); }

std::string usage_chunk(int input, int output) {
  return R"({"id":"c-1","object":"chat.completion.chunk","created":1763700000,"model":"m","choices":[],"usage":{"prompt_tokens":)" +
         std::to_string(input) + R"(,"completion_tokens":)" + std::to_string(output) + R"(,"total_tokens":)" +
         std::to_string(input + output) + "}}";
}

scripted_provider::script streams(std::vector<std::string> words, milliseconds ttft, milliseconds between) {
  return [=](provider_call& call) {
    if (!call.wait(ttft)) return;
    call.stream_head();
    call.event(role_chunk());
    for (const std::string& word : words) {
      if (!call.event(token_chunk(word)) || !call.wait(between)) return;
    }
    call.event(finish_chunk());
    call.end();
  };
}

scripted_provider::script streams_when(std::function<bool()> may, std::vector<std::string> words) {
  return [may = std::move(may), stream = streams(std::move(words))](provider_call& call) {
    if (call.wait_until(may)) stream(call);
  };
}

scripted_provider::script refuses(int status, std::string body, std::string fields, milliseconds after,
                                  std::string content_type) {
  return [=](provider_call& call) {
    if (call.wait(after)) call.answer(status, body, fields, content_type);
  };
}

scripted_provider::script sends_stream(std::string bytes, milliseconds after) {
  return [=](provider_call& call) {
    if (!call.wait(after)) return;
    call.stream_head();
    if (!bytes.empty()) call.chunk(bytes);
    call.send("0\r\n\r\n");
  };
}

scripted_provider::script stays_silent() {
  return [](provider_call& call) { call.hang(); };
}

scripted_provider::script stalls_after(std::string word) {
  return [=](provider_call& call) {
    call.stream_head();
    call.event(token_chunk(word));
    call.hang();
  };
}

scripted_provider::script never_ends() {
  return [](provider_call& call) {
    call.stream_head();
    while (call.event(token_chunk("on ")) && call.wait(milliseconds(5))) continue;
  };
}

scripted_provider::script in_turn(std::vector<scripted_provider::script> scripts) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return [scripts = std::move(scripts), next](provider_call& call) {
    scripts[std::min((*next)++, scripts.size() - 1)](call);
  };
}

}  // namespace photofinish::testing
