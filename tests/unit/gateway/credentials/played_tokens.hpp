// A simulated environment for sources of credentials. The test supplies functions as servers and a table of files, and advances the clock.
#pragma once

#include "gateway/credentials/obtain.hpp"
#include "proxy/failures/network_failures.hpp"
#include "proxy/providers/url.hpp"
#include "tests/support/gateway/strict_tokens.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

struct played_world {
  using server = std::function<testing::token_reply(const testing::token_question&)>;

  testing::strict_tokens tokens;
  std::map<std::string, server> servers;  // servers by URL origin, such as "http://169.254.169.254"; requests to other origins fail
  std::map<std::string, std::string> files;
  std::vector<std::string> asked;  // the received requests, such as "GET http://169.254.169.254/path"
  std::vector<std::chrono::seconds> patience;
  std::size_t through_proxy = 0;
};

class played_io final : public credential_io {
 public:
  explicit played_io(played_world& world) : world_(world) {}

  boost::asio::awaitable<proxy::result<credential_answer>> ask(credential_request request) override {
    proxy::base_url origin = request.at;
    origin.path.clear();
    const std::string at = proxy::to_string(origin);
    world_.asked.push_back(std::string(request.head.method) + " " + at + request.head.path);
    world_.patience.push_back(request.patience);
    if (request.via) ++world_.through_proxy;
    const auto found = world_.servers.find(at);
    if (found == world_.servers.end())
      co_return proxy::network_failure(proxy::failure_kind::connect, "connect: connection refused");
    testing::token_question question{std::string(request.head.method), request.head.path, {}, request.body};
    for (const auto& [name, value] : request.head.fields) question.fields[name] = value;
    const testing::token_reply said = found->second(question);
    co_return credential_answer{said.status, said.body};
  }

  boost::asio::awaitable<file_content> read(std::string path) override {
    const auto found = world_.files.find(path);
    if (found == world_.files.end()) co_return file_content{{}, "there is no such file"};
    co_return file_content{found->second, {}};
  }

  std::chrono::sys_seconds now() const override { return std::chrono::sys_seconds(std::chrono::seconds(world_.tokens.now)); }
  void cancel() noexcept override {}

 private:
  played_world& world_;
};

inline obtained_credential obtain_from(const proxy::credential_source& source, played_world& world) {
  boost::asio::io_context loop;
  played_io io(world);
  std::optional<obtained_credential> made;
  boost::asio::co_spawn(
      loop, obtain(source, io), [&made](std::exception_ptr bug, obtained_credential got) {
        if (bug) std::rethrow_exception(bug);
        made = std::move(got);
      });
  loop.run();
  return made.value();
}

inline proxy::base_url at(const char* url) { return proxy::parse_base_url(url).url.value(); }

}  // namespace photofinish::gateway
