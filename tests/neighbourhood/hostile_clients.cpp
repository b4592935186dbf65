#include "tests/neighbourhood/hostile_clients.hpp"

#include "tests/neighbourhood/raw_client.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::neighbourhood {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view key = "hostile-key-0123456789";
// The access key of a caller whose memory is limited separately. The gateway therefore reads this caller's bodies even if another caller
// has used up its own memory.
constexpr std::string_view verbose_key = "verbose-key-0123456789";
// The access key of another caller whose memory is limited separately. This caller sends forms.
constexpr std::string_view forms_key = "forms-key-0123456789";
constexpr std::size_t mebibyte = 1u << 20;

void pause(const attack& during, milliseconds time) {
  const auto left = std::chrono::ceil<milliseconds>(during.ends_at - clock::now());
  std::this_thread::sleep_for(std::clamp(time, milliseconds(0), std::max(left, milliseconds(0))));
}

// Sends requests to a route, and reads the answers as fast as they arrive.
hostile_kind asks(std::string name, std::size_t clients, std::string model, bool streamed = true) {
  return {std::move(name), clients, [model = std::move(model), streamed](const attack& during) {
            raw_client client(during.port);
            client.send(chat(key, model, streamed));
            client.drain(seconds(8));
          }};
}

std::string sent_to(std::string_view path, const std::string& body) { return chat_head(key, body.size(), path) + body; }

// A request of the Responses API for a chat provider. The gateway translates the answer, and buffers it until its end.
std::string response(const std::string& model) {
  return sent_to("/v1/responses", R"({"model":")" + model + R"(","stream":true,"input":"hi"})");
}
std::string message(const std::string& model) {
  return sent_to("/v1/messages", R"({"model":")" + model +
                                     R"(","stream":true,"max_tokens":99,"messages":[{"role":"user","content":"hi"}]})");
}

std::string speech() { return sent_to("/v1/audio/speech", R"({"model":"sound/m","input":"hi","voice":"v"})"); }

std::string completion(const std::string& model) {
  return sent_to("/v1/completions", R"({"model":")" + model + R"(","stream":true,"prompt":"hi"})");
}

// A request for the embeddings of many short texts, about `bytes` long.
std::string batch(std::size_t bytes) {
  std::string body = R"({"model":"numbers/m","input":["hi")";
  while (body.size() < bytes) body += R"(,"hi")";
  return sent_to("/v1/embeddings", body + "]}");
}

hostile_kind takes(std::string name, std::size_t clients, std::string request) {
  return {std::move(name), clients, [request = std::move(request)](const attack& during) {
            raw_client client(during.port);
            client.send(request);
            client.drain(seconds(8));
          }};
}

// Sends the given requests one after another, so that a few clients cover many kinds of providers.
hostile_kind takes_in_turn(std::string name, std::size_t clients, std::vector<std::string> requests) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return {std::move(name), clients, [requests = std::move(requests), next](const attack& during) {
            raw_client client(during.port);
            client.send(requests[next->fetch_add(1) % requests.size()]);
            // Waits for a limited time, because after an error response the connection stays open.
            client.head(seconds(8));
          }};
}

// Requests to providers that repeat an event without content before the first token. There is one provider for each dialect.
std::vector<std::string> requests_for_nothing() {
  std::vector<std::string> all;
  for (const char* model : {"usages/m", "nothings/m", "partless/gemini-3-pro", "counts/gemini-3-pro", "unknowns/us.amazon.nova-lite-v1:0",
                            "emptytexts/us.amazon.nova-lite-v1:0", "wrappedpings/us.anthropic.claude-sonnet-4-5-20250929-v1:0"})
    all.push_back(chat(key, model));
  for (const char* model : {"progresses/m", "nothings/m"}) all.push_back(response(model));
  for (const char* model : {"claudepings/m", "partless/gemini-3-pro"}) all.push_back(message(model));
  return all;
}

hostile_kind leaves_unread(std::string name, std::size_t clients, std::string request) {
  return {std::move(name), clients, [request = std::move(request)](const attack& during) {
            raw_client client(during.port, 4096);
            client.send(request);
            for (int times = 0; times < 20 && !during.is_over() && !client.has_ended(); ++times) {
              client.receive(milliseconds(1));
              pause(during, milliseconds(300));
            }
          }};
}

// Sends a conversation that the gateway refuses after it has counted the values in the conversation. The conversation is short, because
// most of the memory is in use in this test, and the gateway would hardly ever read a much longer body.
hostile_kind sends_items(std::string name, std::string_view item, std::size_t bytes) {
  std::string body = R"({"model":"resident","input":[)";
  while (body.size() < bytes) body.append(item).append(",");
  auto request = std::make_shared<const std::string>(sent_to("/v1/responses", body.append(item).append("]}")));
  return {std::move(name), 1, [request](const attack& during) {
            raw_client client(during.port);
            client.send(*request);
            const std::string got = client.head(seconds(10));
            pause(during, milliseconds(500));
            if (got.empty() || got.starts_with("HTTP/1.1 503")) throw std::runtime_error("the body was not read");
            if (!got.starts_with("HTTP/1.1 400")) throw broken_promise("no 400 but: " + got.substr(0, 80));
          }};
}

// Sends a request to a route, and reads the answer very slowly.
hostile_kind reads_slowly(std::string name, std::size_t clients, std::string model, bool streamed) {
  return {std::move(name), clients, [model = std::move(model), streamed](const attack& during) {
            raw_client client(during.port, 4096);
            client.send(chat(key, model, streamed));
            for (int times = 0; times < 20 && !during.is_over() && !client.has_ended(); ++times) {
              client.receive(milliseconds(1));
              pause(during, milliseconds(300));
            }
          }};
}

// Announces a body of `announced` bytes, sends only `sent` of them, and waits until the gateway closes the connection.
void upload(const attack& during, std::string_view as, std::size_t announced, std::size_t sent, std::string_view path) {
  raw_client client(during.port);
  client.send(chat_head(as, announced, path));
  const std::string piece(256u << 10, ' ');
  for (std::size_t done = 0; done < sent && !client.has_ended() && !during.is_over(); done += piece.size()) {
    if (!client.send(std::string_view(piece).substr(0, std::min(piece.size(), sent - done)))) return;
    if (client.receive(milliseconds(0)).starts_with("HTTP/1.1 503")) return;
  }
  for (int times = 0; times < 15 && !client.has_ended() && !during.is_over(); ++times) client.receive(milliseconds(200));
}

// Sends a request that the gateway refuses. Then sends the body very slowly, so that the connection waits for the rest of the body.
void be_refused(const attack& during) {
  raw_client client(during.port);
  client.send(chat_head("wrong-key", mebibyte));
  const std::string piece(64u << 10, ' ');
  std::string answer;
  for (int times = 0; times < 15 && client.send(piece); ++times) answer += client.receive(milliseconds(0));
  if (answer.empty()) answer = client.head(seconds(5));
  if (!during.is_over() && !answer.starts_with("HTTP/1.1 401")) throw broken_promise("no 401 but: " + answer.substr(0, 80));
  pause(during, seconds(4));
}

void send_list(const attack& during) {
  std::string model;
  while (model.size() < 400'000) model += "p" + std::to_string(model.size()) + "/m,";
  raw_client client(during.port);
  client.send(chat(key, model));
  client.head(seconds(10));
}

// Returns a body of `bytes` bytes that repeats `member`. Each # in the member is replaced by the member's number.
std::string members(std::string_view member, std::size_t bytes) {
  std::string body = R"({"model":"resident","stream":true,"messages":[{"role":"user","content":"hi"}])";
  for (std::size_t number = 0; body.size() < bytes; ++number) {
    body += ',';
    for (const char letter : member) letter == '#' ? body += std::to_string(number) : body += letter;
  }
  return body + "}";
}

// Sends a form that the gateway refuses only after it has searched as much of the form as possible.
hostile_kind sends_form(std::string name, std::string body) {
  const std::string head = "POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer " +
                           std::string(forms_key) + "\r\ncontent-type: multipart/form-data; boundary=-\r\ncontent-length: " +
                           std::to_string(body.size()) + "\r\n\r\n";
  auto request = std::make_shared<const std::string>(head + body);
  return {std::move(name), 1, [request](const attack& during) {
            raw_client client(during.port);
            client.send(*request);
            const std::string got = client.head(seconds(10));
            pause(during, milliseconds(500));
            if (got.empty() || got.starts_with("HTTP/1.1 503")) throw std::runtime_error("the body was not read");
            if (!got.starts_with("HTTP/1.1 400")) throw broken_promise("no 400 but: " + got.substr(0, 80));
          }};
}

// Returns a form of up to 20 MB with parts that are as short as possible.
std::string many_parts() {
  const std::string part = "---\r\nContent-Disposition:form-data;name=x\r\n\r\n\r\n";
  std::string form;
  while (form.size() < 20 * mebibyte) form += part;
  return form + "-----";
}

// Returns a form in which every position looks like the beginning of a delimiter, so that the search for delimiters
// takes longest. The form has no model.
std::string near_delimiters() {
  const std::string head = "---\r\nContent-Disposition:form-data;name=file\r\n\r\n";
  return head + "x" + std::string(20 * mebibyte, '-') + "\r\n-----";
}

// Sends bodies that are so large that only three of them fit into the memory of one caller. A request counts only if the gateway read its
// body.
hostile_kind sends_members(std::string name, std::string_view member) {
  auto body = std::make_shared<const std::string>(members(member, 20 * mebibyte));
  return {std::move(name), 1, [body](const attack& during) {
            raw_client client(during.port);
            client.send(chat_head(verbose_key, body->size()));
            client.send(*body);
            const std::string head = client.head(seconds(10));
            pause(during, milliseconds(500));
            if (head.empty() || head.starts_with("HTTP/1.1 503")) throw std::runtime_error("the body was not read");
            if (!head.starts_with("HTTP/1.1 400")) throw broken_promise("no 400 but: " + head.substr(0, 80));
          }};
}

// Sends a valid request with a long prompt, which the gateway parses, edits and forwards.
hostile_kind sends_a_giant_prompt() {
  const std::string begin = R"({"model":"silent/m","stream":true,"max_tokens":5,"messages":[{"role":"user","content":")";
  auto body = std::make_shared<const std::string>(begin + std::string(25 * mebibyte, 'x') + R"("}]})");
  return {"sends a giant prompt", 1, [body](const attack& during) {
            raw_client client(during.port);
            client.send(chat_head(key, body->size()));
            client.send(*body);
            client.head(seconds(5));
          }};
}

// Sends more concurrent requests than the provider's limits of attempts or connections allow. The gateway must serve each request, or
// refuse it and state when the client may retry.
hostile_kind crowds(std::string name, std::string model) {
  return {std::move(name), 30, [model = std::move(model)](const attack& during) {
            raw_client client(during.port);
            client.send(chat(key, model));
            const std::string head = client.head(seconds(10));
            if (during.is_over()) return;
            const bool is_polite = head.starts_with("HTTP/1.1 503") && head.find("retry-after: ") != std::string::npos;
            if (!is_polite && !head.starts_with("HTTP/1.1 200"))
              throw broken_promise("neither 200 nor 503 with retry-after but: " + head.substr(0, 80));
            client.drain(seconds(2));
          }};
}

void half_close(const attack& during) {
  raw_client client(during.port);
  client.send(chat(key, "silent/m"));
  client.half_close();
  client.drain(seconds(4));
}

void come_and_go(const attack& during) {
  for (int times = 0; times < 20 && !during.is_over(); ++times) raw_client client(during.port);
}

void talk_nonsense(const attack& during) {
  raw_client client(during.port);
  std::string lines;
  while (lines.size() < mebibyte) lines += "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";
  client.send(lines);
  client.drain(milliseconds(500));
}

}  // namespace

std::vector<hostile_kind> hostile_kinds() {
  return {
      asks("takes pings", 3, "pings/m"),
      asks("takes comments", 3, "comments/m"),
      asks("takes empty lines", 2, "lines/m"),
      asks("takes interim responses", 2, "interims/m"),
      asks("takes interim responses over HTTP/2", 2, "hints/m"),
      asks("takes roles", 2, "roles/m"),
      asks("takes tokens", 2, "tokens/m"),
      asks("waits in silence", 6, "silent/m"),
      asks("waits behind a token", 6, "stalled/m"),
      asks("takes half an answer", 2, "halved/m"),
      asks("takes a broken whole answer", 1, "whole/m", false),
      takes("takes sound", 2, speech()),
      takes("takes a response without end", 2, response("tokens/m")),
      takes("takes a message without end", 2, message("tokens/m")),
      takes("takes half a response", 2, response("halved/m")),
      takes("takes a completion without end", 1, completion("texts/m")),
      takes("takes numbers without end", 1, batch(0)),
      takes("sends a giant batch of texts", 1, batch(10 * mebibyte)),
      takes("takes Anthropic's pieces without end", 1, message("pieces/m")),
      takes("takes Gemini's parts without end", 1, message("parts/m")),
      takes("takes Bedrock's frames without end", 1, response("frames/m")),
      takes_in_turn("takes events that say nothing", 4, requests_for_nothing()),
      leaves_unread("leaves a completion unread", 2, completion("texts/m")),
      leaves_unread("leaves Anthropic's pieces unread", 2, message("pieces/m")),
      leaves_unread("leaves Bedrock's frames unread", 2, response("frames/m")),
      leaves_unread("leaves sound unread", 6, speech()),
      leaves_unread("leaves a response unread", 4, response("tokens/m")),
      leaves_unread("leaves a message unread", 4, message("tokens/m")),
      sends_items("sends items", R"({"role":"user","content":""})", 3 * mebibyte),
      sends_items("refers to items that are not there", R"({"type":"item_reference","id":"msg_none"})", mebibyte),
      sends_form("sends a form of many parts", many_parts()),
      sends_form("sends a form of near delimiters", near_delimiters()),
      reads_slowly("leaves giant events unread", 20, "giants/m", true),
      reads_slowly("leaves giant whole answers unread", 8, "bodies/m", false),
      {"pauses an upload", 14,
       [](const attack& during) { upload(during, key, 30 * mebibyte, 29 * mebibyte, "/v1/chat/completions"); }},
      {"has its body skipped", 4, [](const attack& during) { upload(during, key, mebibyte, mebibyte, "/v1/nothing"); }},
      {"is refused with its body", 400, be_refused},
      {"sends a list of models", 2, send_list},
      sends_members("sends equal members", R"("a":1)"),
      sends_members("sends different members", R"("m#":1)"),
      sends_members("sends long numbers", R"("n#":1234567890123456789012345)"),
      sends_a_giant_prompt(),
      crowds("crowds a provider", "crowded/m"),
      crowds("crowds a provider's connections", "narrow/m"),
      {"half-closes", 6, half_close},
      {"comes and goes", 2, come_and_go},
      {"talks nonsense", 2, talk_nonsense},
  };
}

}  // namespace photofinish::neighbourhood
