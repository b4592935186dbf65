// Generates load for the bench, and prints its measurements as one JSON object. Usage:
//   bench_load --port PORT --model MODEL [--connections N] [--seconds S] [--warm-up S] [--pause-us MEAN]
//              [--prompt-bytes N] [--whole] [--embeddings] [--races] [--hold] [--keys N] [--watch PID,PID]
// Each connection waits for its answer and then for a random pause, before it sends the next request.
// --embeddings sends the prompt as a list of texts to embed instead of a chat.
// --hold keeps the opened streams, and measures while all of them are open.
// --keys uses the access keys bench-key-000, -001 and so on, at most 1,000.
// The JSON object describes the requests that ended during the measurement, and the resources that the watched
// processes used during the measurement. `added` is the time from sending the request to reading the first token, minus
// the time of the provider itself, which its answer reports (bench_provider.cpp).
#include "tests/bench/sockets.hpp"
#include "tests/bench/watched_processes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace photofinish::bench {
namespace {

struct options {
  int port = 0;
  std::string model;
  std::size_t connections = 1;
  double seconds = 1;
  double warm_up = 0.2;
  double pause_us = 0;
  std::size_t prompt_bytes = 40;
  bool is_whole = false;
  bool is_embeddings = false;
  bool is_race = false;
  bool is_hold = false;
  unsigned keys = 0;  // the number of access keys; each request uses the next key
  std::string watch;
};

struct connection {
  int fd = -1;
  std::string out;
  std::size_t sent = 0;
  std::string head;  // the head of the current answer, until it is complete
  std::string tail;  // the last bytes of the answer that were read
  bool is_chunked = false;
  bool has_head = false;
  std::size_t body_left = 0;
  nanoseconds asked_at = 0;
  nanoseconds first_at = 0;
  nanoseconds providers_own = 0;  // the time between the arrival of the request and the provider's first token
};

constexpr nanoseconds second = 1'000'000'000;
constexpr std::string_view last_chunk = "\r\n0\r\n\r\n";
constexpr std::size_t bytes_of_text = 4096;  // the size of each text in bytes; retrieval systems often split documents into such pieces
// The maximum number of connections that may wait for an answer while further connections are opened.
constexpr std::size_t most_unanswered = 64;

class load {
 public:
  explicit load(const options& wanted)
      : wanted_(wanted), watched_(wanted.watch), connections_(wanted.connections), random_(1) {
    body_ = R"({"model":")" + wanted_.model + (wanted_.is_embeddings ? texts() : messages());
    head_ = "POST /v1/" + std::string(wanted_.is_embeddings ? "embeddings" : "chat/completions") +
            " HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(wanted_.port) +
            (wanted_.keys > 0 ? "\r\nauthorization: Bearer bench-key-000" : "") +
            "\r\nuser-agent: bench\r\naccept: */*\r\ncontent-type: application/json\r\ncontent-length: " +
            std::to_string(body_.size()) + "\r\n\r\n";
  }

  int run() {
    const nanoseconds begun = now();
    measure_at_ = begun + static_cast<nanoseconds>(wanted_.warm_up * 1e9);
    if (wanted_.is_hold) measure_at_ = INT64_MAX;
    while (true) {
      const nanoseconds time = now();
      if (time >= measure_at_) begin_measuring();
      if (is_measuring_ && time >= end_at_) break;
      if (time > begun + 60 * second) return std::fprintf(stderr, "bench_load: no end after 60 s\n"), 1;
      open_more();
      ask_paused(time);
      turn(time);
    }
    tell();
    return 0;
  }

 private:
  std::string messages() const {
    return R"(","stream":)" + std::string(wanted_.is_whole ? "false" : "true") +
           R"(,"user":"r0000000000","messages":[{"role":"user","content":")" + std::string(wanted_.prompt_bytes, 'x') + R"("}]})";
  }

  std::string texts() const {
    std::string text = R"(","input":[)";
    for (std::size_t at = 0; at < wanted_.prompt_bytes; at += bytes_of_text)
      text.append(at == 0 ? "\"" : ",\"").append(bytes_of_text, 'x').append("\"");
    return text + "]}";
  }

  void begin_measuring() {
    measure_at_ = INT64_MAX;
    is_measuring_ = true;
    requests_ = events_ = errors_ = 0;
    added_.clear();
    first_.clear();
    used_before_ = watched_.processor_ns();
    own_before_ = clock_of_process();
    begun_measuring_ = now();
    end_at_ = begun_measuring_ + static_cast<nanoseconds>(wanted_.seconds * 1e9);
  }

  static nanoseconds clock_of_process() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * second + time.tv_nsec;
  }

  void open_more() {
    while (opened_ < connections_.size() && opened_ - answered_ < most_unanswered) {
      connection& next = connections_[opened_++];
      open(next);
      ask(next);
    }
  }

  void open(connection& each) {
    if (each.fd >= 0) close(each.fd);
    each = {};
    each.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(wanted_.port);
    if (each.fd < 0 || connect(each.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      give_up("connect");
    send_at_once(each.fd);
    loop_.add(each.fd, EPOLLIN, &each);
  }

  void ask(connection& each) {
    if (wanted_.is_race) {
      char id[16];
      std::snprintf(id, sizeof id, "%010llu", ++race_ % 10'000'000'000ULL);
      body_.replace(body_.find(R"("user":"r)") + 9, 10, id);
    }
    if (wanted_.keys > 0) {
      char number[8];
      std::snprintf(number, sizeof number, "%03u", ++asked_ % wanted_.keys % 1000);
      head_.replace(head_.find("bench-key-") + 10, 3, number);
    }
    each.out = head_ + body_;
    each.sent = 0;
    each.head.clear();
    each.tail.clear();
    each.has_head = false;
    each.first_at = 0;
    each.asked_at = now();
    send_rest(each);
  }

  void send_rest(connection& each) {
    const bool was_waiting = each.sent > 0;
    while (each.sent < each.out.size()) {
      const ssize_t count =
          send(each.fd, each.out.data() + each.sent, each.out.size() - each.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno == EAGAIN) {
        loop_.change(each.fd, EPOLLIN | EPOLLOUT, &each);
        return;
      }
      if (count < 0) return;  // the error is ignored, because the next read from the connection reports the same error
      each.sent += static_cast<std::size_t>(count);
    }
    if (was_waiting) loop_.change(each.fd, EPOLLIN, &each);
  }

  void ask_paused(nanoseconds time) {
    while (!paused_.empty() && paused_.begin()->first <= time) {
      connection* next = paused_.begin()->second;
      paused_.erase(paused_.begin());
      ask(*next);
    }
  }

  void turn(nanoseconds time) {
    nanoseconds until = is_measuring_ ? end_at_ : std::min(measure_at_, time + second);
    if (!paused_.empty()) until = std::min(until, paused_.begin()->first);
    for (const epoll_event& event : loop_.wait(until - time)) {
      auto& each = *static_cast<connection*>(event.data.ptr);
      if (event.events & EPOLLOUT) send_rest(each);
      if (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) read(each);
    }
  }

  void read(connection& each) {
    const ssize_t count = recv(each.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return failed(each);
    std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    if (!each.has_head && !read_head(each, bytes)) return;
    read_body(each, bytes);
  }

  // Reads the answer's head. After the call, `bytes` contains only the bytes that follow the head.
  bool read_head(connection& each, std::string_view& bytes) {
    each.head += bytes;
    const std::size_t end = each.head.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::string_view head = std::string_view(each.head).substr(0, end);
    if (!head.starts_with("HTTP/1.1 200")) return complain(each.head), failed(each), false;
    each.has_head = true;
    each.is_chunked = head.find("hunked") != std::string_view::npos;
    std::size_t size = head.find("ontent-length: ");
    if (size == std::string_view::npos) size = head.find("ontent-Length: ");
    each.body_left = each.is_chunked ? 0 : std::strtoull(head.data() + size + 15, nullptr, 10);
    bytes.remove_prefix(bytes.size() - (each.head.size() - end - 4));
    return true;
  }

  void read_body(connection& each, std::string_view bytes) {
    if (each.first_at == 0 && bytes.find(R"("received_ns":)") != std::string_view::npos) {
      each.first_at = now();
      each.providers_own = number_after(bytes, R"("sent_ns":)", 0) - number_after(bytes, R"("received_ns":)", 0);
      answered_ = std::min(answered_ + 1, connections_.size());
      if (wanted_.is_hold && answered_ == connections_.size() && !is_measuring_) measure_at_ = now() + second / 2;
    }
    events_ += count_events(bytes);
    if (!each.is_chunked) {
      each.body_left -= std::min(each.body_left, bytes.size());
      if (each.body_left == 0) ended(each);
      return;
    }
    each.tail += bytes.substr(bytes.size() - std::min(bytes.size(), last_chunk.size()));
    if (std::string_view(each.tail).ends_with(last_chunk)) return ended(each);
    if (each.tail.size() > last_chunk.size()) each.tail.erase(0, each.tail.size() - last_chunk.size());
  }

  static std::size_t count_events(std::string_view bytes) {
    std::size_t count = 0;
    for (std::size_t at = bytes.find("data: "); at != std::string_view::npos; at = bytes.find("data: ", at + 200)) ++count;
    return count;
  }

  void ended(connection& each) {
    if (each.first_at == 0) return failed(each);
    const nanoseconds time = now();
    ++requests_;
    first_.push_back(each.first_at - each.asked_at);
    added_.push_back(first_.back() - each.providers_own);
    if (wanted_.pause_us <= 0) return ask(each);
    const double pause = std::uniform_real_distribution<>(0.5, 1.5)(random_) * wanted_.pause_us;
    paused_.emplace(time + static_cast<nanoseconds>(pause * 1000), &each);
  }

  void failed(connection& each) {
    ++errors_;
    open(each);
    paused_.emplace(now() + second / 100, &each);
  }

  void complain(const std::string& head) {
    if (!std::exchange(has_complained_, true)) std::fprintf(stderr, "bench_load: %.300s\n", head.c_str());
  }

  static double percentile_us(std::vector<nanoseconds>& samples, double share) {
    if (samples.empty()) return -1;
    std::sort(samples.begin(), samples.end());
    return static_cast<double>(samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))]) / 1000;
  }

  void tell() {
    const double seconds = static_cast<double>(now() - begun_measuring_) / 1e9;
    const double used_us = static_cast<double>(watched_.processor_ns() - used_before_) / 1000;
    std::printf(
        R"({"seconds":%.3f,"requests":%zu,"events":%zu,"errors":%zu,"added_p50_us":%.1f,"added_p99_us":%.1f,)"
        R"("first_p50_us":%.1f,"first_p99_us":%.1f,"used_us":%.0f,"resident_kib":%lld,"own_us":%.0f})"
        "\n",
        seconds, requests_, events_, errors_, percentile_us(added_, 0.5), percentile_us(added_, 0.99),
        percentile_us(first_, 0.5), percentile_us(first_, 0.99), used_us,
        static_cast<long long>(watched_.resident_kib()), static_cast<double>(clock_of_process() - own_before_) / 1000);
  }

  const options wanted_;
  watched_processes watched_;
  std::string head_, body_;
  epoll_set loop_;
  std::vector<connection> connections_;
  std::size_t opened_ = 0, answered_ = 0;
  std::multimap<nanoseconds, connection*> paused_;
  std::mt19937 random_;
  unsigned long long race_ = 0;
  unsigned asked_ = 0;
  std::array<char, 262144> buffer_{};
  bool is_measuring_ = false, has_complained_ = false;
  nanoseconds measure_at_ = 0, begun_measuring_ = 0, end_at_ = 0, used_before_ = 0, own_before_ = 0;
  std::size_t requests_ = 0, events_ = 0, errors_ = 0;
  std::vector<nanoseconds> added_, first_;
};

bool read_options(std::span<char*> arguments, options& wanted) {
  for (std::size_t at = 1; at < arguments.size(); ++at) {
    const std::string_view name = arguments[at];
    if (name == "--whole") wanted.is_whole = true;
    else if (name == "--embeddings") wanted.is_embeddings = true;
    else if (name == "--races") wanted.is_race = true;
    else if (name == "--hold") wanted.is_hold = true;
    else if (at + 1 == arguments.size()) return false;
    else if (const char* value = arguments[++at]; name == "--port") wanted.port = std::atoi(value);
    else if (name == "--model") wanted.model = value;
    else if (name == "--connections") wanted.connections = std::strtoull(value, nullptr, 10);
    else if (name == "--seconds") wanted.seconds = std::atof(value);
    else if (name == "--warm-up") wanted.warm_up = std::atof(value);
    else if (name == "--pause-us") wanted.pause_us = std::atof(value);
    else if (name == "--prompt-bytes") wanted.prompt_bytes = std::strtoull(value, nullptr, 10);
    else if (name == "--keys") wanted.keys = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    else if (name == "--watch") wanted.watch = value;
    else return false;
  }
  return wanted.port > 0 && !wanted.model.empty();
}

}  // namespace
}  // namespace photofinish::bench

int main(int argc, char** argv) {
  using namespace photofinish::bench;
  options wanted;
  if (!read_options({argv, static_cast<std::size_t>(argc)}, wanted))
    return std::fprintf(stderr, "bench_load: see the head of bench_load.cpp for its options\n"), 2;
  return load(wanted).run();
}
