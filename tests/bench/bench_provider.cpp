// A provider for the bench. Usage:
//   bench_provider PORTS [CERTIFICATE KEY]
// The provider listens on PORTS free loopback ports, with TLS if a certificate is given, and prints the ports on one
// line. The model's name determines the answers. All times in it are in microseconds:
//   n<TOKENS>-i<INTERVAL>-d<DELAY>-s<STEP>
// A chat completion has TOKENS tokens, one per INTERVAL. An embedding has TOKENS numbers. The first token is sent after
// DELAY + STEP * the index of the port. Without an interval, the complete answer is sent in one write. The first token
// contains two times: when its request arrived, and when the token was sent. From these the load generator computes the
// time that was spent outside the provider.
// The request's `user` names a race. The provider measures the time from the first token of a race at any port until
// the connections of the race's other attempts are closed. GET /stats returns the measured times, and resets them.
#include "tests/bench/sockets.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace photofinish::bench {
namespace {

struct connection;

struct listener {
  int fd = -1;
  int index = -1;  // index of the port for a listening socket; -1 for a connection
};

using due_list = std::multimap<nanoseconds, connection*>;

struct answer_plan {
  long long tokens = 0, interval_us = 0, delay_us = 0;
  bool is_stream = false;
  std::size_t texts = 0;  // the number of texts that the request asks to embed
};

struct connection : listener {
  int port_index = 0;
  SSL* ssl = nullptr;
  std::string in;
  std::string out;
  bool waits_for_room = false;
  bool is_answering = false;
  answer_plan plan;
  long long next_token = 0;
  std::string race;
  nanoseconds received_at = 0;
  nanoseconds due_at = 0;
  due_list::iterator due;
  bool is_due = false;
};

struct statistics {
  long long requests = 0, connections = 0, resumed = 0, abandoned = 0;
  std::vector<nanoseconds> cancels;
};

class provider {
 public:
  provider(int ports, SSL_CTX* tls) : tls_(tls), listeners_(static_cast<std::size_t>(ports)) {
    for (int index = 0; index < ports; ++index) {
      int port = 0;
      listener& each = listeners_[static_cast<std::size_t>(index)];
      each = {listen_on(port), index};
      loop_.add(each.fd, EPOLLIN, &each);
      std::printf("%d ", port);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  void run() {
    while (true) {
      const nanoseconds patience = due_.empty() ? 1'000'000'000 : due_.begin()->first - now();
      for (const epoll_event& event : loop_.wait(patience)) {
        auto* who = static_cast<listener*>(event.data.ptr);
        if (who->index >= 0) accept_all(*who);
        else serve(*static_cast<connection*>(who), event.events);
      }
      while (!due_.empty() && due_.begin()->first <= now()) speak(*due_.begin()->second);
      closed_.clear();
    }
  }

 private:
  void accept_all(const listener& at) {
    while (true) {
      const int fd = accept4(at.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      send_at_once(fd);
      auto* made = new connection;
      made->fd = fd;
      made->port_index = at.index;
      ++stats_.connections;
      if (tls_) {
        made->ssl = SSL_new(tls_);
        SSL_set_fd(made->ssl, fd);
        SSL_set_accept_state(made->ssl);
      }
      loop_.add(fd, EPOLLIN | EPOLLRDHUP, made);
    }
  }

  void serve(connection& each, std::uint32_t events) {
    if (each.fd < 0) return;
    if (events & EPOLLOUT) flush(each);
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
    while (each.fd >= 0) {
      const long count = receive(each);
      if (count < 0) return close(each);
      each.in.append(buffer_.data(), static_cast<std::size_t>(count));
      if (count == 0 || (static_cast<std::size_t>(count) < buffer_.size() && !each.ssl)) break;
    }
    if (!each.is_answering && !each.in.empty()) take_request(each);
  }

  // Reads from the connection. Returns the number of received bytes, 0 if none are available now, or -1 if the
  // connection has ended.
  long receive(connection& each) {
    if (!each.ssl) {
      const ssize_t count = recv(each.fd, buffer_.data(), buffer_.size(), 0);
      if (count > 0) return count;
      return count < 0 && errno == EAGAIN ? 0 : -1;
    }
    ERR_clear_error();
    const int count = SSL_read(each.ssl, buffer_.data(), static_cast<int>(buffer_.size()));
    if (count > 0) return count;
    return SSL_get_error(each.ssl, count) == SSL_ERROR_WANT_READ ? 0 : -1;
  }

  void take_request(connection& each) {
    const std::size_t head_end = each.in.find("\r\n\r\n");
    if (head_end == std::string::npos) return;
    const std::string_view head = std::string_view(each.in).substr(0, head_end);
    if (head.starts_with("GET ")) return tell_statistics(each);
    std::size_t size = head.find("ontent-length: ");
    if (size == std::string_view::npos) size = head.find("ontent-Length: ");
    if (size == std::string_view::npos) return close(each);
    const std::size_t body_bytes = std::strtoull(head.data() + size + 15, nullptr, 10);
    if (each.in.size() < head_end + 4 + body_bytes) return;
    const std::string_view body = std::string_view(each.in).substr(head_end + 4, body_bytes);
    each.plan.texts = head.starts_with("POST /v1/embeddings ") ? count_texts(body) : 0;
    answer(each, body);
    each.in.erase(0, head_end + 4 + body_bytes);
  }

  void answer(connection& each, std::string_view body) {
    each.received_at = now();
    ++stats_.requests;
    const std::string_view model = value_of(body, "model");
    each.plan.tokens = number_after(model, "n", 1);
    each.plan.interval_us = number_after(model, "i", 0);
    each.plan.delay_us = number_after(model, "d", 0) + each.port_index * number_after(model, "s", 0);
    each.plan.is_stream = body.find(R"("stream":true)") != std::string_view::npos;
    each.race = value_of(body, "user");
    each.next_token = 0;
    each.is_answering = true;
    each.due_at = each.received_at + each.plan.delay_us * 1000;
    if (each.plan.delay_us > 0) wait_for(each);
    else speak(each);
  }

  // Counts the texts to embed. The texts must not contain quotes.
  static std::size_t count_texts(std::string_view body) {
    const std::string_view input = body.substr(std::min(body.find(R"("input":[)"), body.size() - 1) + 1);
    return static_cast<std::size_t>(std::count(input.begin(), input.end(), '"') - 1) / 2;
  }

  // Finds a value in a request's JSON. The JSON must be compact, and the parameters must come before the prompt.
  static std::string_view value_of(std::string_view body, std::string_view key) {
    const std::string quoted = "\"" + std::string(key) + "\":\"";
    for (const std::string_view part : {body.substr(0, 512), body.substr(body.size() - std::min<std::size_t>(512, body.size()))}) {
      const std::size_t at = part.find(quoted);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = part.substr(at + quoted.size());
      return rest.substr(0, rest.find('"'));
    }
    return {};
  }

  void wait_for(connection& each) {
    each.due = due_.emplace(each.due_at, &each);
    each.is_due = true;
  }

  // Sends the next token of an answer. If the model's name contains no interval, sends all tokens.
  void speak(connection& each) {
    if (std::exchange(each.is_due, false)) due_.erase(each.due);
    if (!each.plan.is_stream) return say_whole(each);
    do say_token(each);
    while (each.plan.interval_us == 0 && each.next_token < each.plan.tokens);
    const bool is_over = each.next_token == each.plan.tokens;
    if (is_over) say_end(each);
    else each.due_at += each.plan.interval_us * 1000;
    each.is_answering = !is_over;
    if (!is_over) wait_for(each);
    flush(each);
  }

  // The words of the answers. Neighbouring words differ, as in a real answer. One word needs an escape, and one word is
  // not ASCII.
  static constexpr std::array<std::string_view, 16> words{
      " the", " first", " token", " of", " an", " answer", " arr", "ives",
      ",", " and", R"(\n)", "the", " caf\xC3\xA9", " waits", " no", " more"};
  static constexpr std::string_view before_delta =
      R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench",)"
      R"("system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":)";

  void say_token(connection& each) {
    const std::string_view word = words[static_cast<std::size_t>(each.next_token) % words.size()];
    event_ = before_delta;
    if (each.next_token++ == 0) {
      each.out +=
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n"
          "transfer-encoding: chunked\r\nserver: bench\r\nx-request-id: 0123456789abcdef\r\n\r\n";
      event_.append(R"({"role":"assistant","content":")").append(word);
      event_.append(R"("},"logprobs":null,"finish_reason":null}],)").append(stamps(each));
    } else {
      event_.append(R"({"content":")").append(word).append(R"("},"logprobs":null,"finish_reason":null}])");
    }
    say_chunk(each, "}\n\n");
  }

  void say_end(connection& each) {
    event_ = before_delta;
    event_ += R"({},"logprobs":null,"finish_reason":"stop"}])";
    say_chunk(each, "}\n\ndata: [DONE]\n\n");
    each.out += "0\r\n\r\n";
  }

  void say_chunk(connection& each, std::string_view end) {
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", event_.size() + end.size());
    each.out.append(size).append(event_).append(end).append("\r\n");
  }

  void say_whole(connection& each) {
    const std::string body = each.plan.texts > 0 ? embeddings(each) : completion(each);
    each.out += "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body;
    each.is_answering = false;
    flush(each);
  }

  std::string embeddings(const connection& each) {
    std::string numbers;
    for (long long token = 0; token < each.plan.tokens; ++token) numbers += token == 0 ? "-0.0123456" : ",0.0234567";
    std::string body = "{" + stamps(each) + R"(,"object":"list","model":"bench","data":[)";
    for (std::size_t text = 0; text < each.plan.texts; ++text)
      body.append(text == 0 ? "" : ",").append(R"({"object":"embedding","index":)").append(std::to_string(text))
          .append(R"(,"embedding":[)").append(numbers).append("]}");
    return body + R"(],"usage":{"prompt_tokens":7,"total_tokens":7}})";
  }

  std::string completion(const connection& each) {
    std::string text;
    for (long long token = 0; token < each.plan.tokens; ++token) text += " token";
    return R"({"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,)"
           R"("message":{"role":"assistant","content":")" + text + R"("},"finish_reason":"stop"}],)" + stamps(each) + "}";
  }

  std::string stamps(const connection& each) {
    const nanoseconds sent_at = now();
    if (!each.race.empty()) won_at_.emplace(each.race, sent_at);
    return R"("received_ns":)" + std::to_string(each.received_at) + R"(,"sent_ns":)" + std::to_string(sent_at);
  }

  void flush(connection& each) {
    std::size_t sent = 0;
    while (sent < each.out.size()) {
      const long count = send_some(each, std::string_view(each.out).substr(sent));
      if (count < 0) return close(each);
      if (count == 0) break;
      sent += static_cast<std::size_t>(count);
    }
    each.out.erase(0, sent);
    if (each.out.empty() == each.waits_for_room) {
      each.waits_for_room = !each.out.empty();
      loop_.change(each.fd, EPOLLIN | EPOLLRDHUP | (each.waits_for_room ? EPOLLOUT : 0u), &each);
    }
  }

  static long send_some(connection& each, std::string_view bytes) {
    if (!each.ssl) {
      const ssize_t count = send(each.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      return count >= 0 ? count : errno == EAGAIN ? 0 : -1;
    }
    ERR_clear_error();
    const int count = SSL_write(each.ssl, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 16384)));
    if (count > 0) return count;
    return SSL_get_error(each.ssl, count) == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }

  void close(connection& each) {
    if (each.is_answering && !each.race.empty()) {
      ++stats_.abandoned;
      if (const auto won = won_at_.find(each.race); won != won_at_.end()) stats_.cancels.push_back(now() - won->second);
    }
    if (each.is_due) due_.erase(each.due);
    if (each.ssl) {
      if (SSL_session_reused(each.ssl)) ++stats_.resumed;
      SSL_set_shutdown(each.ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
      SSL_free(each.ssl);
    }
    ::close(each.fd);
    each.fd = -1;
    closed_.emplace_back(&each);  // the connection is destroyed later, because the current list of events may refer to it
  }

  void tell_statistics(connection& each) {
    std::sort(stats_.cancels.begin(), stats_.cancels.end());
    const auto percentile = [&](double share) {
      if (stats_.cancels.empty()) return -1.0;
      const auto at = static_cast<std::size_t>(share * static_cast<double>(stats_.cancels.size() - 1));
      return static_cast<double>(stats_.cancels[at]) / 1000;
    };
    char body[400];
    const int size = std::snprintf(
        body, sizeof body,
        R"({"requests":%lld,"connections":%lld,"resumed":%lld,"abandoned":%lld,"cancels":%zu,"cancel_p50_us":%.1f,)"
        R"("cancel_p99_us":%.1f})",
        stats_.requests, stats_.connections, stats_.resumed, stats_.abandoned, stats_.cancels.size(), percentile(0.5),
        percentile(0.99));
    each.in.clear();
    each.out = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: " + std::to_string(size) + "\r\n\r\n" + body;
    stats_ = {};
    won_at_.clear();
    flush(each);
    close(each);
  }

  SSL_CTX* tls_;
  epoll_set loop_;
  std::vector<listener> listeners_;
  due_list due_;
  std::array<char, 65536> buffer_{};
  std::string event_;
  std::unordered_map<std::string, nanoseconds> won_at_;
  statistics stats_;
  std::vector<std::unique_ptr<connection>> closed_;
};

SSL_CTX* serving_context(const char* certificate, const char* key) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
    ERR_print_errors_fp(stderr);
    std::exit(1);
  }
  return context;
}

}  // namespace
}  // namespace photofinish::bench

int main(int argc, char** argv) {
  using namespace photofinish::bench;
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: bench_provider PORTS [CERTIFICATE KEY]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  provider(std::atoi(argv[1]), argc == 4 ? serving_context(argv[2], argv[3]) : nullptr).run();
}
